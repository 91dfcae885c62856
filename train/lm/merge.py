"""Merging an adapter into its base: a full model that plays the same (``econzoo convert runs/sft runs/sft-whole``)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from econzoo.baselines.models import ADAPTER
from econzoo.envs.core import LARGE_FILE_BYTES, read_bytes, read_text, write_file
from econzoo.envs.core.contract import OneOf, Option
from econzoo.evaluate.formats import ConversionResult
from econzoo.train.lm.card import CARD
from econzoo.train.lm.model import check, load_for_training, out_folder, require_training
from econzoo.train.lm.training_run import TRAINING_FILE

__all__ = ["merge"]

TYPES = ("float32", "bfloat16", "float16")


Dtype = Annotated[str, Option(OneOf(*TYPES), "Type of the weights.", panel="Model")]


def merge(source: str | Path, out: str | Path, dtype: Dtype = "float32") -> ConversionResult:
    """Merge a LoRA adapter into its base; the full model, with its training exposure, plays as hf:OUT."""
    require_training()
    adapter = Path(source).expanduser()
    check((adapter / ADAPTER).is_file(), "source", str(source), f"a folder with {ADAPTER}, from a training with --lora")
    check(Path(out).resolve() != adapter.resolve(), "out", str(out), "a folder other than the adapter's")
    import torch

    loaded = load_for_training(f"hf:{adapter}")  # loading merges
    folder = out_folder(Path(out).expanduser())
    loaded.model.to(getattr(torch, dtype)).save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    if (adapter / TRAINING_FILE).is_file():
        write_file(folder / TRAINING_FILE, read_bytes(adapter / TRAINING_FILE, LARGE_FILE_BYTES))
    if (adapter / CARD).is_file():
        # The card has commands that play the model in its folder.
        text = read_text(adapter / CARD).replace(f"hf:{source}", f"hf:{folder}")
        write_file(folder / CARD, text)
    return ConversionResult([str(folder)], {"folder": str(folder)})
