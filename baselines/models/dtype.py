"""The fastest dtype of a language model on this machine, measured once and cached."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from econzoo.envs.core import read_bytes, read_text, write_file
from econzoo.envs.core.contract import parse_json

DTYPES = ("auto", "float32", "bfloat16")
"""Values of ``--dtype``."""

ROWS, WIDTH, INNER = 512, 576, 1536
"""Shape of the benchmark: tokens of a small batch, and layer sizes of SmolLM2."""

REPEATS = 5


def cache_file() -> Path:
    """Return the path of the cached measurement."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "econzoo" / "dtype.json"


def fastest_dtype(
    dtype: str, device: str, tell: Callable[[str], Any] = lambda text: print(text, file=sys.stderr)
) -> str:
    """Resolve a name of `DTYPES` on a device.

    Args:
        dtype: ``auto`` selects bfloat16 on a GPU, and the faster dtype of a short benchmark on a CPU.
    """
    if dtype != "auto":
        return dtype
    if device != "cpu":
        return "bfloat16"
    seconds, source = _load_timings() or _measure_timings()
    chosen = min(seconds, key=lambda name: seconds[name])
    ratio = max(seconds.values()) / seconds[chosen]
    tell(f"dtype {chosen}: {ratio:.1f} times as fast as the alternative on this machine ({source})")
    return chosen


def _key() -> str:
    """Return the cache key: processor and library version."""
    import torch

    info = Path("/proc/cpuinfo")
    lines = read_bytes(info).decode(errors="replace").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{(names or [platform.processor() or platform.machine()])[0]}, torch {torch.__version__}"


def _load_timings() -> tuple[dict[str, float], str] | None:
    try:
        timings = parse_json(read_text(cache_file()))[_key()]
        return {name: float(timings[name]) for name in DTYPES[1:]}, f"cached in {cache_file()}"
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _measure_timings() -> tuple[dict[str, float], str]:
    seconds = {name: measure_dtype(name) for name in DTYPES[1:]}
    path = cache_file()
    try:
        write_file(path, json.dumps({_key(): seconds}, indent=2) + "\n")
    except OSError:
        return seconds, "measured just now"
    return seconds, f"measured just now, cached in {path}"


def measure_dtype(dtype: str) -> float:
    """Return the CPU seconds of a layer's forward and backward pass, the minimum of several repeats."""
    import torch

    kind = getattr(torch, dtype)
    source = torch.Generator().manual_seed(0)
    read = torch.randn(ROWS, WIDTH, generator=source, requires_grad=True)
    weights = torch.randn(WIDTH, INNER, generator=source, requires_grad=True)

    def once() -> float:
        # Time of this process only, since others may run beside it.
        begun = time.process_time()
        with torch.autocast("cpu", kind, enabled=dtype != "float32"):
            (read @ weights).float().square().mean().backward()
        return time.process_time() - begun

    # The first run allocates and loads kernels; the minimum has the least disturbance.
    once()
    return min(once() for _ in range(REPEATS))
