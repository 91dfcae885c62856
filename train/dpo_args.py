"""The arguments of DPO."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Annotated

import typer

from econzoo.envs.core.registry import game as find_game
from econzoo.train.learning_args import LearningArgs, checked_learning
from econzoo.train.lm_model import check
from econzoo.train.lm_rewards import PENALTY, UNUSABLE

__all__ = ["DpoArgs", "PlayArgs", "checked", "checked_plays"]


@dataclass(kw_only=True)
class PlayArgs:
    """Which matches a model plays to learn from them, and how."""

    game: Annotated[str, typer.Option(help="Of the model's matches.")] = "bargaining"
    matches: Annotated[int, typer.Option(help="Different matches.")] = 200
    plays: Annotated[int, typer.Option(help="Times that the model plays each of them.")] = 8
    opponent: Annotated[
        list[str], typer.Option(help="Of the model, repeatable; wide: that pool. Default: the training pool.")
    ] = field(default_factory=list)
    markets: Annotated[list[str], typer.Option(help="Markets or distributions of its matches, repeatable.")] = field(
        default_factory=lambda: ["train"]
    )
    param: Annotated[list[str], typer.Option(help="NAME=VALUE of its matches, repeatable.")] = field(
        default_factory=list
    )
    seat: Annotated[list[int], typer.Option(help="Seats to learn in; repeatable; none: all.")] = field(
        default_factory=list
    )
    temperature: Annotated[float, typer.Option(help="Of its sampling.")] = 1.0
    max_new_tokens: Annotated[int, typer.Option(help="Most tokens of a reply.")] = 64
    rollout_batch: Annotated[int, typer.Option(help="Replies sampled at once.")] = 64
    constrained: Annotated[bool, typer.Option(help="Sample only legal JSON, to start from a raw model.")] = False


def checked_plays(args: PlayArgs) -> None:
    """Refuses arguments that are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    find_game(args.game)
    check(args.matches >= 1, "matches", args.matches, "1 or more")
    check(args.plays >= 1, "plays", args.plays, "1 or more")
    check(0 < args.temperature < math.inf, "temperature", args.temperature, "above 0")
    check(args.max_new_tokens >= 1, "max_new_tokens", args.max_new_tokens, "1 or more")
    check(args.rollout_batch >= 1, "rollout_batch", args.rollout_batch, "1 or more")


@dataclass
class DpoArgs(LearningArgs, PlayArgs):
    """Fine-tune a language model on pairs of plays of one match that came out differently; it plays as hf:OUT."""

    records: Annotated[
        list[str], typer.Argument(help="Files of records (JSON lines), in place of matches of the model.")
    ] = field(default_factory=list)
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID; also the reference.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/dpo"
    objective: Annotated[str, typer.Option(help="What is preferred; mixes as '0.7*self_gain + 0.3*fairness'.")] = (
        "self_gain"
    )
    margin: Annotated[float, typer.Option(help="Least difference of the objective within a pair.")] = 0.05
    unusable: Annotated[float, typer.Option(help="Value of a forfeited match.")] = UNUSABLE
    penalty: Annotated[float, typer.Option(help="Taken off for each answer that had to be asked for again.")] = PENALTY
    player: Annotated[list[str], typer.Option(help="Players of the records to learn from; repeatable; none: all.")] = (
        field(default_factory=list)
    )
    beta: Annotated[float, typer.Option(help="Weight of the distance to the reference.")] = 0.1
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 2e-5 with --lora or --layers, else 2e-6.")] = 0.0


def checked(args: DpoArgs) -> DpoArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    checked_plays(args)
    check(bool(args.records) or args.plays >= 2, "plays", args.plays, "2 or more")
    check(bool(args.records) or not args.player, "player", args.player, "none without files of records")
    check(0 <= args.margin < math.inf, "margin", args.margin, "0 or more")
    check(args.penalty >= 0, "penalty", args.penalty, "0 or more")
    check(0 < args.beta < math.inf, "beta", args.beta, "above 0")
    return replace(args, **checked_learning(args, 2e-6, 2e-5))
