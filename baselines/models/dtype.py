"""In which type the arithmetic of a language model is fastest here: measured once on a machine, and kept."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import read_bytes, read_text, write_file

DTYPES = ("auto", "float32", "bfloat16")
"""What ``--dtype`` takes."""

ROWS, WIDTH, INNER = 512, 576, 1536
"""Of the measured product: tokens of a small batch, and the layers of SmolLM2."""

REPEATS = 5


def cache_file() -> Path:
    """Where the measurement is kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "econzoo" / "dtype.json"


def fastest_dtype(
    dtype: str, device: str, tell: Callable[[str], Any] = lambda text: print(text, file=sys.stderr)
) -> str:
    """The type that a name of `DTYPES` stands for on a device.

    Args:
        dtype: ``auto`` takes bfloat16 on a GPU, and on a CPU what a short measurement says.
        device: ``cpu``, ``cuda``, ...
        tell: Gets one line about what was chosen.
    """
    if dtype != "auto":
        return dtype
    if device != "cpu":
        return "bfloat16"
    seconds, kept = _load_timings() or _measure_timings()
    chosen = min(seconds, key=lambda name: seconds[name])
    ratio = max(seconds.values()) / seconds[chosen]
    tell(f"arithmetic in {chosen}: {ratio:.1f} times as fast as the other on this machine ({kept})")
    return chosen


def _key() -> str:
    """What the answer depends on: the processor and the library."""
    import torch

    info = Path("/proc/cpuinfo")
    lines = read_bytes(info).decode(errors="replace").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{(names or [platform.processor() or platform.machine()])[0]}, torch {torch.__version__}"


def _load_timings() -> tuple[dict[str, float], str] | None:
    try:
        found = parse_json(read_text(cache_file()))[_key()]
        return {name: float(found[name]) for name in DTYPES[1:]}, f"measured before, kept in {cache_file()}"
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _measure_timings() -> tuple[dict[str, float], str]:
    seconds = {name: measure_dtype(name) for name in DTYPES[1:]}
    path = cache_file()
    try:
        write_file(path, json.dumps({_key(): seconds}, indent=2) + "\n")
    except OSError:
        return seconds, "measured just now"
    return seconds, f"measured just now, kept in {path}"


def measure_dtype(dtype: str) -> float:
    """Seconds of this process for a layer forward and backward, the least of some repeats."""
    import torch

    kind = getattr(torch, dtype)
    source = torch.Generator().manual_seed(0)
    read = torch.randn(ROWS, WIDTH, generator=source, requires_grad=True)
    weights = torch.randn(WIDTH, INNER, generator=source, requires_grad=True)

    def once() -> float:
        begun = time.process_time()
        with torch.autocast("cpu", kind, enabled=dtype != "float32"):
            (read @ weights).float().square().mean().backward()
        return time.process_time() - begun

    once()
    return min(once() for _ in range(REPEATS))
