"""Commented example study files for any game, ready to run."""

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

from econzoo.baselines import filter_by_seat, pool
from econzoo.envs.core import MissingLibraryError, format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Game, OrNone, Parameter, format_exact
from econzoo.people.study.declaration import PARTNER, PERSON, STRANGER, Study
from econzoo.people.study.expected_earnings import choose_stand_in, play_trials
from econzoo.people.study.settings import DESIGN, design_settings, load_design
from econzoo.people.study.study_file import parse_study

WIDTH = 118

EXAMPLE_PARTICIPANTS = 24
"""Participants of an example, rounded up to fill its matches."""

EXAMPLE_BONUS = 2.0
"""Approximate bonus of a participant in an example."""

POINTS_LINES = """\
currency = "points"  # unit shown to participants, also where the game has dollars; or a currency, without paid_in
paid_in = "USD"  # currency of fee, bonus and their bounds\
"""

PARTICIPANTS_PER_SETTING = 10
"""Participants per setting of a published design."""

MAIN_BONUS = 0.15
"""Approximate bonus in the first setting of a published design: GLEE's average with 10,000 at stake."""

BELIEF_QUESTION = """\
[[questionnaire]]
question = "Did you think that the others were people?"
kind = "choice"
options = ["yes", "no", "I do not know"]

"""
"""Question for games with other players."""


def _load_template() -> Template:
    return Template((files(__package__) / "templates" / "study.template").read_text(encoding="utf-8"))


def example_study(game_name: str, file: str) -> str:
    """Return the text of an example study of a game."""
    game = find_game(game_name)
    seats = game.facts.seats
    lineups = _lineups(game_name, seats)
    block = len(lineups) * lcm(*(one.count(PERSON) for one in lineups.values()))
    repetitions = 3 if seats == 2 else 2
    given = {
        "settings": "\n".join(_setting_lines(game)),
        "participants": -(-EXAMPLE_PARTICIPANTS // block) * block,
        "partners": STRANGER if seats == 2 else PARTNER,
        "fee": "1.00",
        "currency": POINTS_LINES,
        "floor": "0.00",
        "cap": "5.00",
    }
    filled = _template_values(game, file, "pilot", repetitions, lineups) | given
    # The rate needs trial matches, and these a study.
    study = _parse_without_rate(filled)
    return _load_template().substitute(filled, **_choose_rate(study, _trial_payoffs(study), EXAMPLE_BONUS))


def design_example(design: str, game_name: str, file: str) -> str:
    """Return the text of a study with the settings of a published design and one participant per match.

    Each participant plays one match. The opponent is a script that can take every seat, to be replaced by a model. The
    bonus is GLEE's average: 5, 15 and 25 cents with 100, 10,000 and 1,000,000 at stake.
    """
    if game_name not in load_design(design):
        raise ValueError(f"{design} has no settings of {game_name}: expected {', '.join(load_design(design))}")
    game, count = find_game(game_name), len(design_settings(design, game_name))
    comment = (
        f"# {count} settings, each with the participant's seat; the opponent was gemini-1.5-flash: replace the\n"
        "# program below by a model, such as openai:MODEL@URL.\n"
    )
    given = {
        "settings": f'{comment}{DESIGN} = "{design}"',
        "participants": count * PARTICIPANTS_PER_SETTING,
        "partners": PARTNER,
        "currency": 'currency = "USD"',
        "fee": "0.40" if game_name == "persuasion" else "0.10",
        "floor": "0.05",
        "cap": "0.25",
    }
    lineups = {"program": [PERSON, _script_for_all_seats(game_name)]}
    filled = _template_values(game, file, design, 1, lineups) | given
    study = _parse_without_rate(filled)
    return _load_template().substitute(filled, **_choose_rate(study, _trial_payoffs(study)[:1], MAIN_BONUS))


def _script_for_all_seats(game: str) -> str:
    seats = range(find_game(game).facts.seats)
    return next(
        one for one in (*pool(game, "standard"), "random") if all(filter_by_seat(game, [one], seat) for seat in seats)
    )


def _template_values(
    game: Game, file: str, kind: str, repetitions: int, lineups: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the template values that depend on the game."""
    seats, matches = game.facts.seats, format_count(repetitions, "match")
    return {
        "file": file,
        "name": f"{game.name.replace('_', '-')}-{kind}",
        "game": game.name,
        "person": PERSON,
        "arms": "\n".join(_arm_lines(name, one) for name, one in lineups.items()),
        "repetitions": repetitions,
        "wrong": repetitions + 2,
        "times": matches,
        "instructions": f"{game.summary}\nYou play {matches}.",
        "belief": BELIEF_QUESTION if seats > 1 else "",
        "topic": "decide when they meet others" if seats > 1 else "read programs",
    }


def _lineups(game: str, seats: int) -> dict[str, list[str]]:
    """Return an arm with people only and, in games with several seats, one with a person among programs."""
    people = {"people": [PERSON] * seats}
    programs = [choose_stand_in(game, seat) for seat in range(1, seats)]
    return people | ({"program": [PERSON, *programs]} if programs else {})


def _arm_lines(name: str, seats: Sequence[str]) -> str:
    blinded = "blinded = true\n" if name == "program" else ""
    return f"[[arms]]\nname = {json.dumps(name)}\nseats = {json.dumps(seats)}\n{blinded}"


def _parse_without_rate(filled: Mapping[str, Any]) -> Study | None:
    """Return the study with a placeholder rate; None: its game needs a library that is not installed."""
    try:
        study = parse_study(_load_template().substitute(filled, rate=1, earned=""), Path(filled["file"]))
        choose_stand_in(study.games[0], 0)
    except MissingLibraryError:
        return None
    return study


def _trial_payoffs(study: Study | None) -> list[float]:
    """Return payoffs of scripts in the seats of participants; empty: trial matches are not possible."""
    return [payoff for arm in study.arms for payoff in play_trials(study, arm).payoffs] if study else []


def _choose_rate(study: Study | None, payoffs: Sequence[float], bonus: float) -> dict[str, str]:
    """Return a rate at which these payoffs give about this bonus."""
    if study is None or not payoffs:
        return {"rate": "0.1", "earned": "Play a few matches before you choose the rate."}
    mean = fmean(payoffs)
    rate = bonus / (mean * study.matching.repetitions) if mean > 0 else 0.1
    comment = f"In trial matches, scripts in the seats of participants had a mean payoff of {mean:,.6g}."
    if mean <= 0:
        comment += "\n# Losses are not paid: consider a higher floor or fee."
    # A round number: one significant digit.
    return {"rate": format_exact(float(f"{rate:.0e}")), "earned": comment}


# Parameters


def _setting_lines(game: Game) -> Iterator[str]:
    """Yield all parameters with defaults as comments, and one flag, preferably messages, with both values."""
    flags = [one.name for one in game.parameters if isinstance(one.domain, Flag)]
    crossed = "messages" if "messages" in flags else (flags[0] if flags else "")
    for one in game.parameters:
        line = f"{one.name} = [true, false]" if one.name == crossed else f"# {one.name} = {format_toml(one.default)}"
        yield from (f"# {part}" for part in textwrap.wrap(f"{one.doc} Allowed: {_describe_allowed(one)}.", WIDTH))
        yield line


def _describe_allowed(one: Parameter) -> str:
    allowed = one.value_range.replace("True or False", "true or false")
    return allowed.replace("or None", 'or "none"') if isinstance(one.domain, OrNone) else allowed


def format_toml(value: Any) -> str:
    """Return a value in TOML, with ``"none"`` for None."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_toml, value))}]"
    return json.dumps("none" if value is None else value)
