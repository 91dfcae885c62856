"""A commented file of a study for any game, which runs as it is."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from math import lcm
from pathlib import Path
from statistics import fmean
from string import Template
from typing import Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import Flag, OrNone, Parameter
from econzoo.envs.core.contract.validation import in_full
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.studies.declared import PARTNER, PERSON, RANDOM, STRANGER
from econzoo.evaluate.studies.design import study_of
from econzoo.evaluate.studies.trial import stand_in, tried

WIDTH = 118

ABOUT = 24
"""Participants of an example, or the next number that fills its matches."""

BONUS = 2.0
"""Bonus of a participant in an example, about."""

BELIEF = """\
[[questionnaire]]
question = "Did you think that the others were people?"
kind = "choice"
options = ["yes", "no", "I do not know"]

"""
"""Asked where there are others."""


def _text() -> Template:
    return Template((files(__package__) / "templates" / "study.template").read_text(encoding="utf-8"))


def example(game_name: str, file: str) -> str:
    """The text of a study of a game.

    Args:
        game_name: The game.
        file: What the file will be called, for its comments.

    Raises:
        ValueError: No such game.
    """
    game = find_game(game_name)
    seats = game.facts.seats
    lineups = _lineups(game_name, seats)
    block = len(lineups) * lcm(*(one.count(PERSON) for one in lineups.values()))
    repetitions = 3 if seats == 2 else 2
    given = {
        "file": file,
        "name": f"{game_name.replace('_', '-')}-pilot",
        "game": game_name,
        "person": PERSON,
        "settings": "\n".join(_settings(game)),
        "arms": "\n".join(_arm(name, one) for name, one in lineups.items()),
        "participants": -(-ABOUT // block) * block,
        "repetitions": repetitions,
        "wrong": repetitions + 2,
        "times": f"{repetitions} matches",
        "partners": {1: PARTNER, 2: STRANGER}.get(seats, RANDOM),
        "instructions": textwrap.fill(f"{game.summary} You play {repetitions} matches.", WIDTH),
        "belief": BELIEF if seats > 1 else "",
        "topic": "decide when they meet others" if seats > 1 else "read programs",
    }
    return _text().substitute(given, **_pay(given))


def _lineups(game: str, seats: int) -> dict[str, list[str]]:
    """People among themselves, and one among programs, where there are others at all."""
    people = {"people": [PERSON] * seats}
    programs = [stand_in(game, seat) for seat in range(1, seats)]
    return people | ({"program": [PERSON, *programs]} if programs else {})


def _arm(name: str, seats: Sequence[str]) -> str:
    blinded = "blinded = true\n" if name == "program" else ""
    return f"[[arms]]\nname = {json.dumps(name)}\nseats = {json.dumps(seats)}\n{blinded}"


def _pay(given: Mapping[str, Any]) -> dict[str, str]:
    """A rate at which scripts in the seats of participants would earn about `BONUS`."""
    try:
        study = study_of(_text().substitute(given, rate=1, earned=""), Path(given["file"]))
        payoffs = [payoff for arm in study.arms for payoff in tried(study, arm).payoffs]
    except MissingLibraryError:
        return {"rate": "0.1", "earned": "Try a few matches before you choose the rate."}
    mean = fmean(payoffs)
    rate = BONUS / (mean * given["repetitions"]) if mean > 0 else 0.1
    told = f"In trial matches, scripts in the seats of participants had a payoff of {mean:,.4g} on average."
    return {"rate": in_full(float(f"{rate:.0e}")), "earned": told}


# Parameters


def _settings(game: Game) -> Iterator[str]:
    """All parameters with their defaults as comments; of a flag, messages above all, both values."""
    flags = [one.name for one in game.parameters if isinstance(one.domain, Flag)]
    crossed = "messages" if "messages" in flags else (flags[0] if flags else "")
    for one in game.parameters:
        line = f"{one.name} = [true, false]" if one.name == crossed else f"# {one.name} = {written(one.default)}"
        yield from (f"# {part}" for part in textwrap.wrap(f"{one.doc} Allowed: {_allowed(one)}.", WIDTH))
        yield line


def _allowed(one: Parameter) -> str:
    told = one.allowed.replace("True or False", "true or false")
    return told.replace("or None", 'or "none"') if isinstance(one.domain, OrNone) else told


def written(value: Any) -> str:
    """A value as TOML has it, with ``"none"`` for nothing."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return json.dumps("none" if value is None else value)
