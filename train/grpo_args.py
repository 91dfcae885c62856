"""The arguments of GRPO."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Annotated

import typer

from econzoo.baselines.models.dtype import DTYPES
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.registry import game as find_game
from econzoo.train.command_line import key_values
from econzoo.train.grpo_collapse import ALARMS, alarms_of
from econzoo.train.learning_args import SCHEDULES
from econzoo.train.lm_model import check, common_arguments
from econzoo.train.lm_rewards import PENALTY, UNUSABLE
from econzoo.train.tracking import TRACKERS

__all__ = ["CREDITS", "GrpoArgs", "checked"]

CREDITS = ("match", "decision")
"""What a token is judged by: how its match ended, or what came after its decision (`econzoo.train.grpo_credit`)."""

TRAIN = "train"
"""Distribution of the settings to learn in."""


@dataclass
class GrpoArgs:
    """Fine-tune a language model by playing whole matches, with GRPO; the checkpoint plays as hf:OUT."""

    game: Annotated[str, typer.Argument(help="For example bargaining.")] = "bargaining"
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/grpo"
    opponent: Annotated[
        list[str],
        typer.Option(
            help="Specs, repeatable; wide: that pool; self: the policy as it is now. Default: the training pool."
        ),
    ] = field(default_factory=list)
    seat: Annotated[list[int], typer.Option(help="Seats of the learner, repeatable; they take turns; none: all.")] = (
        field(default_factory=list)
    )
    markets: Annotated[
        list[str],
        typer.Option(help="Markets or distributions of markets, repeatable; none: train, where the game has it."),
    ] = field(default_factory=list)
    param: Annotated[list[str], typer.Option(help="NAME=VALUE of the game, repeatable, e.g. horizon=4.")] = field(
        default_factory=list
    )
    objective: Annotated[str, typer.Option(help="The reward; mixes as '0.7*self_gain + 0.3*fairness'.")] = "self_gain"
    unusable: Annotated[float, typer.Option(help="Reward of a forfeited match.")] = UNUSABLE
    penalty: Annotated[float, typer.Option(help="Taken off for each answer that had to be asked for again.")] = PENALTY
    mode: Annotated[str, typer.Option(help="chat, or tools for a tool-calling model.")] = "chat"
    credit: Annotated[
        str, typer.Option(help="match: every token by how its match ended; decision: each decision by itself.")
    ] = "match"
    resample: Annotated[
        int, typer.Option(help="Times that a group without anything to learn from is drawn anew, at most.")
    ] = 1
    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = 100
    groups: Annotated[int, typer.Option(help="Different matches in a step.")] = 8
    group_size: Annotated[int, typer.Option(help="Plays of each match.")] = 8
    micro_batch: Annotated[int, typer.Option(help="Of them at once in the update; 0: all on a GPU, two on a CPU.")] = 0
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 1e-4 with --lora, else 1e-5.")] = 0.0
    warmup: Annotated[int, typer.Option(help="Steps in which the learning rate rises.")] = 5
    schedule: Annotated[str, typer.Option(help="Of the learning rate after that: linear to 0, or constant.")] = (
        "constant"
    )
    beta: Annotated[float, typer.Option(help="Weight of the KL divergence from the model as it was at the start.")] = (
        0.0
    )
    entropy: Annotated[float, typer.Option(help="Weight of the entropy of the model's own tokens.")] = 0.0
    temperature: Annotated[float, typer.Option(help="Of sampling.")] = 1.0
    max_new_tokens: Annotated[int, typer.Option(help="Most tokens of a reply.")] = 64
    rollout_batch: Annotated[int, typer.Option(help="Replies sampled at once.")] = 64
    max_length: Annotated[
        int, typer.Option(help="Most tokens of a match; a longer one is forfeited. 0: what the model can read.")
    ] = 0
    constrained: Annotated[bool, typer.Option(help="Sample only legal JSON (biased; to start from a raw model).")] = (
        False
    )
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0: train weights.")] = 0
    layers: Annotated[int, typer.Option(help="Train only so many layers, from the top; 0: all.")] = 0
    dtype: Annotated[
        str, typer.Option(help="Of the arithmetic of learning: float32, bfloat16, or auto: the faster one here.")
    ] = "auto"
    checkpointing: Annotated[bool, typer.Option(help="Save memory by computing activations twice.")] = False
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints; 0: only at the end.")] = 25
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of OUT.")] = False
    eval: Annotated[int, typer.Option(help="Matches of the validation, none of which is trained on; 0: none.")] = 0
    eval_every: Annotated[
        int, typer.Option(help="Steps between two validations; 0: at the start, at checkpoints and at the end.")
    ] = 0
    alarm: Annotated[
        list[str],
        typer.Option(help=f"NAME=LIMIT of a sign of collapse, repeatable: {', '.join(ALARMS)}; off: no alarm."),
    ] = field(default_factory=list)
    stop_on_collapse: Annotated[
        bool, typer.Option("--stop-on-collapse", help="Stop with a checkpoint at an alarm.")
    ] = False
    track: Annotated[list[str], typer.Option(help=f"Where numbers go too: {', '.join(TRACKERS)}; repeatable.")] = field(
        default_factory=list
    )
    trl: Annotated[
        list[str], typer.Option(help="NAME=VALUE of TRL's settings, repeatable, such as loss_type=dr_grpo.")
    ] = field(default_factory=list)
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would be, and how long.")] = False
    seed: Annotated[int, typer.Option(help="Of matches, sampling and the adapter's start.")] = 0


def checked(args: GrpoArgs) -> GrpoArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    check(args.groups >= 1, "groups", args.groups, "1 or more")
    check(args.group_size >= 2, "group_size", args.group_size, "2 or more")
    check(0 < args.temperature < math.inf, "temperature", args.temperature, "above 0")
    check(args.max_new_tokens >= 1, "max_new_tokens", args.max_new_tokens, "1 or more")
    check(args.rollout_batch >= 1, "rollout_batch", args.rollout_batch, "1 or more")
    for name in ("max_length", "penalty", "eval", "eval_every", "checkpoint_every", "resample"):
        check(getattr(args, name) >= 0, name, getattr(args, name), "0 or more")
    for name in ("beta", "entropy"):
        check(0 <= getattr(args, name) < math.inf, name, getattr(args, name), "0 or more")
    check(args.eval > 0 or args.eval_every == 0, "eval_every", args.eval_every, "0 without --eval")
    one_of("dtype", args.dtype, DTYPES)
    one_of("schedule", args.schedule, SCHEDULES)
    one_of("credit", args.credit, CREDITS)
    for name in args.track:
        one_of("track", name, tuple(TRACKERS))
    alarms_of(key_values(args.alarm))
    common = common_arguments(args, args.groups * args.group_size, 1e-4 if args.lora else 1e-5)
    _check_tools(args)
    return replace(args, **common, markets=args.markets or usual_markets(args.game))


def _check_tools(args: GrpoArgs) -> None:
    """Tools are called in TRL's own loop, where only whole matches are known."""
    if args.mode == "tools":
        check(not args.constrained, "constrained", args.constrained, "only with mode=chat")
        check(args.credit == "match", "credit", args.credit, "match with mode=tools")


def usual_markets(game_name: str) -> list[str]:
    """The distribution to learn in, or the default market of a game that has none.

    Raises:
        ValueError: Unknown game.
    """
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    return [TRAIN if TRAIN in known else "default"]
