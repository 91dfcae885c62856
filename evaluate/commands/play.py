"""``econzoo play``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated

import typer

from econzoo.baselines.reader_option import check_reader, with_reader
from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Whole
from econzoo.evaluate.commands.playing import play_and_keep, resume_and_keep, shown
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.match import CONCURRENT
from econzoo.evaluate.run.progress import stoppable
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.suites.suite import PARAM, SPECS

WITH_RESUME = ("resume", "out", "connect", "json")
"""Options that the file of a paused match does not say."""


@dataclass
class PlayOptions:
    """Play matches between any players, people included; several people take turns at this terminal.

    Examples: econzoo play bargaining spe fair --matches 3 | econzoo play bargaining human fair -p horizon=3 |
    econzoo play bargaining hf:smollm2 'boulware(0.2)' --out matches.jsonl |
    econzoo play --resume bargaining-0123456789abcdef.match.json
    """

    game: Annotated[str, Option(meaning="Game.", positional=True)] = ""
    players: Annotated[
        list[str], Option(meaning=f"Players, one for each seat: {SPECS}, human, 'human(\"Ann\")'.", positional=True)
    ] = field(default_factory=list)
    seed: Annotated[int, Option(Whole(0), "Seed of the first match; later matches use seed+1, seed+2, ...")] = 0
    matches: Annotated[int, Option(Whole(1), "Number of matches.")] = 1
    param: Annotated[list[str], Option(meaning=PARAM, letter="-p")] = field(default_factory=list)
    reader: Annotated[str | None, Option(meaning="Language model that reads messages to scripted players.")] = None
    out: Annotated[str | None, Option(meaning="File that the records are appended to.")] = None
    concurrent: Annotated[int, Option(Whole(1, 4096), "Matches at once where a model is asked in batches.")] = (
        CONCURRENT
    )
    save: Annotated[
        str | None, Option(meaning="File of a match that a person pauses.", default="GAME-ID.match.json")
    ] = None
    resume: Annotated[str | None, Option(meaning="File of a paused match to play on.")] = None
    connect: Annotated[
        list[str], Option(meaning="With --resume: address that the file's players may connect to, with your key.")
    ] = field(default_factory=list)
    json: Annotated[bool, Option(Flag(), "Print the records, one JSON line a match.")] = False

    def __post_init__(self) -> None:
        check_options(self)
        if self.resume is not None:
            for one in fields(self):
                default = [] if one.name in ("players", "param") else one.default
                if one.name not in WITH_RESUME and getattr(self, one.name) != default:
                    allowed = ", ".join(f"--{name}" for name in WITH_RESUME[1:])
                    raise ValueError(f"{one.name} is not allowed with --resume, whose file says it; allowed: {allowed}")
        elif self.connect:
            raise ValueError("--connect is allowed with --resume only: specs that you type may connect anyway")
        elif not self.game or not self.players:
            raise typer.BadParameter("a game and its players are needed, or --resume FILE")


def run(asked: PlayOptions) -> None:
    """Plays matches, or a paused one on, and tells how they went.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    out = Path(asked.out) if asked.out else None
    if asked.resume is not None:
        played = resume_and_keep(Path(asked.resume), out, asked.connect)
    else:
        settings, seeds = parse_params(asked.param), range(asked.seed, asked.seed + asked.matches)
        check_reader(asked.reader, asked.players, asked.game)
        players = with_reader(asked.players, asked.game, asked.reader)
        save = Path(asked.save) if asked.save else None
        with stoppable(out):
            played = play_and_keep(asked.game, players, seeds, settings, asked.concurrent, save, out)
    shown(played, out, asked.json)


play = budgeted(command(PlayOptions, run))
