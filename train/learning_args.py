"""Arguments that every way to fine-tune a language model on given sequences has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from econzoo.baselines.models.dtype import DTYPES
from econzoo.envs.core.env.options import one_of
from econzoo.train.lm_model import check, common_arguments
from econzoo.train.tracking import TRACKERS

__all__ = ["LearningArgs", "checked_learning"]

SCHEDULES = ("linear", "constant")
"""How the learning rate goes on after its rise: down to 0 at the last step, or not at all."""


@dataclass(kw_only=True)
class LearningArgs:
    """How to learn, how to go on after a break, and what to tell meanwhile."""

    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = 100
    batch: Annotated[int, typer.Option(help="Sequences in a step; pairs with dpo.")] = 8
    micro_batch: Annotated[int, typer.Option(help="Of them at once in memory; 0: all on a GPU, two on a CPU.")] = 0
    warmup: Annotated[int, typer.Option(help="Steps in which the learning rate rises.")] = 5
    schedule: Annotated[str, typer.Option(help="Of the learning rate after that: linear to 0, or constant.")] = (
        "constant"
    )
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0: train weights.")] = 0
    layers: Annotated[int, typer.Option(help="Train only so many layers, from the top; 0: all.")] = 0
    dtype: Annotated[str, typer.Option(help="Of the arithmetic: float32, bfloat16, or auto: the faster one here.")] = (
        "auto"
    )
    max_length: Annotated[
        int, typer.Option(help="Most tokens of a match; later turns are left out. 0: what the model can read.")
    ] = 0
    decimals: Annotated[int, typer.Option(help="Digits after the point of amounts in replies; -1: exact.")] = 2
    checkpointing: Annotated[bool, typer.Option(help="Save memory by computing activations twice.")] = False
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints; 0: only at the end.")] = 100
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of OUT.")] = False
    eval: Annotated[int, typer.Option(help="Matches of the validation, for the card of each checkpoint; 0: none.")] = 0
    eval_every: Annotated[
        int,
        typer.Option(help="Steps between two validations, for validation_curve.csv; 0: the start and checkpoints."),
    ] = 0
    track: Annotated[list[str], typer.Option(help=f"Where numbers go too: {', '.join(TRACKERS)}; repeatable.")] = field(
        default_factory=list
    )
    trl: Annotated[
        list[str], typer.Option(help="NAME=VALUE of TRL's settings, repeatable, such as weight_decay=0.01.")
    ] = field(default_factory=list)
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would be, and how long.")] = False
    seed: Annotated[int, typer.Option(help="Of the matches, the order of the data and the adapter's start.")] = 0


def checked_learning(args: Any, rate: float, rate_of_part: float) -> dict[str, Any]:
    """Checks what `LearningArgs` has.

    Args:
        args: Of a method.
        rate: Learning rate of whole models if none is given.
        rate_of_part: The same with an adapter or with some layers.

    Returns:
        ``lr`` and ``micro_batch``, filled in.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    check(args.batch >= 1, "batch", args.batch, "1 or more")
    check(args.max_length == 0 or args.max_length >= 16, "max_length", args.max_length, "0, or 16 or more")
    check(args.checkpoint_every >= 0, "checkpoint_every", args.checkpoint_every, "0 or more")
    check(args.eval >= 0, "eval", args.eval, "0 or more")
    check(args.eval_every >= 0, "eval_every", args.eval_every, "0 or more")
    check(not args.eval_every or args.eval > 0, "eval_every", args.eval_every, "0 without --eval")
    one_of("dtype", args.dtype, DTYPES)
    one_of("schedule", args.schedule, SCHEDULES)
    _check_trackers(args.track)
    return common_arguments(args, args.batch, rate_of_part if args.lora or args.layers else rate)


def _check_trackers(names: Sequence[str]) -> None:
    for name in names:
        one_of("track", name, tuple(TRACKERS))
