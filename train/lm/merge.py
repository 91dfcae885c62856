"""An adapter merged into its base: a whole model that plays the same without it.

econzoo train merge runs/sft --out runs/sft-whole
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from econzoo.baselines.models.loading import ADAPTER
from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import OneOf, Text
from econzoo.train.lm.course import CARD
from econzoo.train.lm.model import SETTINGS, check, load_for_training, need_training, out_folder
from econzoo.train.recipe import FOLDER

__all__ = ["MergeArgs", "merge"]

TYPES = ("float32", "bfloat16", "float16")


@dataclass
class MergeArgs:
    """Merge a LoRA adapter into its base; the whole model plays as hf:OUT."""

    adapter: Annotated[str, Option(Text(), "Folder of a training with --lora.", positional=True)]
    out: Annotated[Path, Option(FOLDER, "Folder of the whole model.")] = Path("runs/merged")
    dtype: Annotated[str, Option(OneOf(*TYPES), "Type of the weights.")] = "float32"

    def __post_init__(self) -> None:
        check_options(self)


def merge(args: MergeArgs) -> Path:
    """Writes the whole model, with what is known of its training.

    Args:
        args: See `MergeArgs`.

    Returns:
        The folder.

    Raises:
        ValueError: The folder holds no adapter, or is the one to write to; or the base cannot be loaded.
    """
    need_training()
    source = Path(args.adapter.removeprefix("hf:")).expanduser()
    check(
        (source / ADAPTER).is_file(), "adapter", args.adapter, f"a folder with {ADAPTER}, from a training with --lora"
    )
    check(args.out.resolve() != source.resolve(), "out", str(args.out), "another folder than the adapter's")
    import torch

    loaded = load_for_training(f"hf:{source}")
    folder = out_folder(args.out)
    loaded.model.to(getattr(torch, args.dtype)).save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    if (source / SETTINGS).is_file():
        shutil.copy2(source / SETTINGS, folder)
    if (source / CARD).is_file():
        text = (source / CARD).read_text(encoding="utf-8").replace(f"hf:{args.adapter}", f"hf:{folder}")
        (folder / CARD).write_text(text, encoding="utf-8")
    return folder


main = command(MergeArgs, merge)
