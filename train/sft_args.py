"""The arguments of supervised fine-tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import typer

from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.registry import game as find_game
from econzoo.train.lm_dtype import DTYPES
from econzoo.train.lm_model import check, common_arguments
from econzoo.train.tracking import TRACKERS

__all__ = ["SftArgs", "checked"]

SCHEDULES = ("linear", "constant")
"""How the learning rate goes on after its rise: down to 0 at the last step, or not at all."""


@dataclass
class SftArgs:
    """Fine-tune a language model on teachers' play or on the best of recorded matches; it plays as hf:OUT."""

    records: Annotated[list[str], typer.Argument(help="Files of records (JSON lines), in place of --teacher.")] = field(
        default_factory=list
    )
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/sft"
    objective: Annotated[str, typer.Option(help="What counts as good; mixes as '0.7*self_gain + 0.3*fairness'.")] = (
        "self_gain"
    )
    keep: Annotated[float, typer.Option(help="Best share to learn from, of each cell of setting, seat and others.")] = (
        0.2
    )
    answers: Annotated[
        float, typer.Option(help="Weight of an answer with a mean stake, an offer having 1; 0: all have 1.")
    ] = 1.0
    seat: Annotated[list[int], typer.Option(help="Seats to learn from; repeatable; none: all.")] = field(
        default_factory=list
    )
    player: Annotated[list[str], typer.Option(help="Players to learn from, by spec; repeatable; none: all.")] = field(
        default_factory=list
    )
    teacher: Annotated[
        list[str], typer.Option(help="Player to learn from, such as ppo:DIR or a script; it plays first; repeatable.")
    ] = field(default_factory=list)
    game: Annotated[str, typer.Option(help="Of the teachers' matches.")] = "bargaining"
    matches: Annotated[int, typer.Option(help="Different matches of the teachers.")] = 1000
    plays: Annotated[int, typer.Option(help="Times that each is played, of which --keep keeps the best.")] = 1
    opponent: Annotated[
        list[str], typer.Option(help="Of teachers, repeatable; wide: that pool. Default: the training pool.")
    ] = field(default_factory=list)
    markets: Annotated[list[str], typer.Option(help="Markets or distributions of teachers' matches, repeatable.")] = (
        field(default_factory=lambda: ["train"])
    )
    param: Annotated[list[str], typer.Option(help="NAME=VALUE of teachers' matches, repeatable.")] = field(
        default_factory=list
    )
    mode: Annotated[str, typer.Option(help="chat, or tools: replies as tool calls, for grpo --mode tools.")] = "chat"
    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = 100
    batch: Annotated[int, typer.Option(help="Sequences in a step.")] = 8
    micro_batch: Annotated[int, typer.Option(help="Sequences at once in memory; 0: the whole batch.")] = 0
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 2e-4 with --lora or --layers, else 2e-5.")] = 0.0
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
    eval: Annotated[int, typer.Option(help="Matches of the validation at the end, for the card; 0: none.")] = 0
    track: Annotated[list[str], typer.Option(help=f"Where numbers go too: {', '.join(TRACKERS)}; repeatable.")] = field(
        default_factory=list
    )
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would be, and how long.")] = False
    seed: Annotated[int, typer.Option(help="Of the matches, the order of the data and the adapter's start.")] = 0


def checked(args: SftArgs) -> SftArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    check(args.batch >= 1, "batch", args.batch, "1 or more")
    check(args.max_length == 0 or args.max_length >= 16, "max_length", args.max_length, "0, or 16 or more")
    check(bool(args.records) != bool(args.teacher), "teacher", args.teacher, "either teachers or files of records")
    check(args.matches >= 1, "matches", args.matches, "1 or more")
    check(args.plays >= 1, "plays", args.plays, "1 or more")
    check(0 <= args.answers < 1000, "answers", args.answers, "0 or more, below 1000")
    check(args.checkpoint_every >= 0, "checkpoint_every", args.checkpoint_every, "0 or more")
    check(args.eval >= 0, "eval", args.eval, "0 or more")
    one_of("dtype", args.dtype, DTYPES)
    one_of("schedule", args.schedule, SCHEDULES)
    _check_trackers(args.track)
    if args.teacher:
        find_game(args.game)
    small = args.lora or args.layers
    return replace(args, **common_arguments(args, args.batch, 2e-4 if small else 2e-5))


def _check_trackers(names: Sequence[str]) -> None:
    for name in names:
        one_of("track", name, tuple(TRACKERS))
