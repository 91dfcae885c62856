"""The arguments of supervised fine-tuning."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import typer

from econzoo.envs.core.registry import game as find_game
from econzoo.train.learning_args import LearningArgs, checked_learning
from econzoo.train.lm_model import check

__all__ = ["SftArgs", "checked"]


@dataclass
class SftArgs(LearningArgs):
    """Fine-tune a language model on teachers' play or on the best of recorded matches; it plays as hf:OUT."""

    records: Annotated[
        list[str], typer.Argument(help="Files of records (JSON lines); with --teacher it advises in them.")
    ] = field(default_factory=list)
    model: Annotated[str, typer.Option(help="hf:smollm2, hf:PATH or hf:HUB_ID.")] = "hf:smollm2"
    out: Annotated[str, typer.Option(help="Folder of the checkpoint.")] = "runs/sft"
    objective: Annotated[str, typer.Option(help="What counts as good; mixes as '0.7*self_gain + 0.3*fairness'.")] = (
        "self_gain"
    )
    keep: Annotated[
        float,
        typer.Option(
            help="Best share to learn from, of each cell of setting, seat and others; 0: 0.2, or with advice 1."
        ),
    ] = 0.0
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
        list[str],
        typer.Option(
            help="Player to learn from, such as ppo:DIR or a script; it plays first; repeatable. With advice, that "
            "which comes to the most by --objective advises."
        ),
    ] = field(default_factory=list)
    explorer: Annotated[
        list[str],
        typer.Option(help="Plays in the teacher's place, which says at each move what it would have done; repeatable."),
    ] = field(default_factory=list)
    game: Annotated[str, typer.Option(help="Of the teachers' matches.")] = "bargaining"
    matches: Annotated[int, typer.Option(help="Different matches of the teachers.")] = 1000
    plays: Annotated[
        int,
        typer.Option(help="Times that each is played, of which --keep keeps the best; with --explorer by all in turn."),
    ] = 1
    opponent: Annotated[
        list[str], typer.Option(help="Of teachers, repeatable; wide: that pool. Default: the training pool.")
    ] = field(default_factory=list)
    markets: Annotated[list[str], typer.Option(help="Markets or distributions of teachers' matches, repeatable.")] = (
        field(default_factory=lambda: ["train"])
    )
    param: Annotated[
        list[str], typer.Option(help="NAME=VALUE of teachers' matches, repeatable; several values of one take turns.")
    ] = field(default_factory=list)
    mode: Annotated[str, typer.Option(help="chat, or tools: replies as tool calls, for grpo --mode tools.")] = "chat"
    lr: Annotated[float, typer.Option(help="Learning rate; 0: 2e-4 with --lora or --layers, else 2e-5.")] = 0.0
    trials: Annotated[
        bool,
        typer.Option(
            help="With advice, learn of answers what comes to most if the teacher plays on, as heavy as it is better."
        ),
    ] = False
    heaviest: Annotated[
        float, typer.Option(help="Share of the sequences to learn from: those with the most at stake a token.")
    ] = 1.0
    grain: Annotated[
        float, typer.Option(help="Amounts that a teacher advises are multiples of this share of the stake; 0: any.")
    ] = 0.0

    @property
    def advised(self) -> bool:
        """Whether a teacher says what should have been done in matches of others."""
        return bool(self.teacher and (self.records or self.explorer))


def checked(args: SftArgs) -> SftArgs:
    """The arguments with defaults filled in, refused before any work where they are not allowed.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    check(bool(args.records or args.teacher), "teacher", args.teacher, "a player, where no files of records are given")
    check(
        bool(args.teacher and not args.records) or not args.explorer, "explorer", args.explorer, "with a teacher only"
    )
    check(not args.advised or args.mode == "chat", "mode", args.mode, "chat, where a teacher advises others")
    check(args.advised or not args.grain, "grain", args.grain, "0, where no teacher advises others")
    check(args.advised or not args.trials, "trials", args.trials, "no, where no teacher advises others")
    check(0 < args.heaviest <= 1, "heaviest", args.heaviest, "above 0, at most 1")
    check(0 <= args.grain <= 0.5, "grain", args.grain, "0 to 0.5")
    check(0 <= args.keep <= 1, "keep", args.keep, "0 to 1")
    check(args.matches >= 1, "matches", args.matches, "1 or more")
    check(args.plays >= 1, "plays", args.plays, "1 or more")
    check(0 <= args.answers < 1000, "answers", args.answers, "0 or more, below 1000")
    if args.teacher:
        find_game(args.game)
    keep = args.keep or (1.0 if args.advised else 0.2)
    return replace(args, keep=keep, **checked_learning(args, 2e-5, 2e-4))
