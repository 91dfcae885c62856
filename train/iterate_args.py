"""The arguments of expert iteration."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated

import typer

from econzoo.train.dpo_args import PlayArgs, checked_plays
from econzoo.train.learning_args import LearningArgs, checked_learning
from econzoo.train.lm_model import check
from econzoo.train.lm_tickets import check_opponents
from econzoo.train.sft_args import SftArgs

__all__ = ["IterateArgs", "checked", "of_round"]


@dataclass
class IterateArgs(LearningArgs, PlayArgs):
    """Improve a language model in rounds: it plays, and learns from the best of its own matches; it plays as hf:OUT."""

    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID; where the first round begins.")] = (
        "hf:smollm2"
    )
    out: Annotated[str, typer.Option(help="Folder of the best checkpoint, with a folder for each round.")] = (
        "runs/iterate"
    )
    objective: Annotated[str, typer.Option(help="What counts as good; mixes as '0.7*self_gain + 0.3*fairness'.")] = (
        "self_gain"
    )
    rounds: Annotated[int, typer.Option(help="Rounds at most.")] = 5
    patience: Annotated[int, typer.Option(help="Rounds without a better validation before it stops.")] = 2
    keep: Annotated[float, typer.Option(help="Best share to learn from, of the plays of each match.")] = 0.25
    teacher: Annotated[
        list[str], typer.Option(help="Player whose matches are learned from beside its own; repeatable.")
    ] = field(default_factory=list)
    lessons: Annotated[int, typer.Option(help="Different matches of the teachers in each round.")] = 50
    answers: Annotated[
        float, typer.Option(help="Weight of an answer with a mean stake, an offer having 1; 0: all have 1.")
    ] = 1.0
    steps: Annotated[int, typer.Option(help="Optimiser steps of a round.")] = 50
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints within a round; 0: none.")] = 25
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 1e-4 with --lora or --layers, else 1e-5.")] = 0.0
    eval: Annotated[int, typer.Option(help="Matches of the validation after each round.")] = 64


def checked(args: IterateArgs) -> IterateArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    checked_plays(args)
    check(args.rounds >= 1, "rounds", args.rounds, "1 or more")
    check(args.patience >= 1, "patience", args.patience, "1 or more")
    check(0 < args.keep <= 1, "keep", args.keep, "above 0 and at most 1")
    check(args.lessons >= 1, "lessons", args.lessons, "1 or more")
    check(0 <= args.answers < 1000, "answers", args.answers, "0 or more, below 1000")
    check(args.eval >= 1, "eval", args.eval, "1 or more")
    check_opponents(args.teacher, args.game)
    return replace(args, **checked_learning(args, 1e-5, 1e-4))


def of_round(args: IterateArgs, model: str, folder: Path, plays: Path) -> SftArgs:
    """The arguments of the supervised fine-tuning of a round, which goes on where it was.

    Args:
        args: Of all rounds.
        model: That of the round before.
        folder: Of the round.
        plays: The matches of the model in this round.
    """
    learning = {one.name: getattr(args, one.name) for one in fields(LearningArgs)}
    own = {"model": model, "out": str(folder), "records": [str(plays)], "resume": True, "dry_run": False}
    same = {name: getattr(args, name) for name in ("objective", "keep", "answers", "seat", "lr", "game", "param")}
    return SftArgs(**{**learning, **same, **own})
