"""An adapter merged into its base: a whole model that plays the same without it.

econzoo convert runs/sft runs/sft-whole
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from econzoo.baselines.models.loading import ADAPTER
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import OneOf
from econzoo.envs.core.files import LARGE, bytes_of, text_of, write_file
from econzoo.evaluate.formats.conversions import Converted
from econzoo.train.lm.card import CARD
from econzoo.train.lm.course import SETTINGS
from econzoo.train.lm.model import check, load_for_training, need_training, out_folder

__all__ = ["merge"]

TYPES = ("float32", "bfloat16", "float16")


Dtype = Annotated[str, Option(OneOf(*TYPES), "Type of the weights.", panel="Model")]


def merge(source: str | Path, out: str | Path, dtype: Dtype = "float32") -> Converted:
    """Merges a LoRA adapter into its base: a whole model, with what is known of its training, that plays as hf:OUT.

    Args:
        source: Folder of a training with ``--lora``.
        out: Folder of the whole model.
        dtype: Type of the weights: float32, bfloat16 or float16.

    Returns:
        The folder.

    Raises:
        ValueError: The folder holds no adapter, or is the one to write to; or the base cannot be loaded.
    """
    need_training()
    adapter = Path(source).expanduser()
    check((adapter / ADAPTER).is_file(), "source", str(source), f"a folder with {ADAPTER}, from a training with --lora")
    check(Path(out).resolve() != adapter.resolve(), "out", str(out), "another folder than the adapter's")
    import torch

    loaded = load_for_training(f"hf:{adapter}")
    folder = out_folder(Path(out).expanduser())
    loaded.model.to(getattr(torch, dtype)).save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    if (adapter / SETTINGS).is_file():
        write_file(folder / SETTINGS, bytes_of(adapter / SETTINGS, LARGE))
    if (adapter / CARD).is_file():
        text = text_of(adapter / CARD).replace(f"hf:{source}", f"hf:{folder}")
        write_file(folder / CARD, text)
    return Converted([str(folder)], {"folder": str(folder)})
