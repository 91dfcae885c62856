"""Whether a program could be played: what is wrong with its text, and what goes wrong when it plays its own copy."""

from __future__ import annotations

from collections.abc import Mapping

from econzoo.envs.core.contract.game import Game
from econzoo.evaluate.run.table import Match
from econzoo.people.table.forms import MOVE, forms_for
from econzoo.people.table.person import Asked, Person

TRIAL = 0
"""Seed of a trial: not that of the match, of whose chances nobody is to learn."""


def check(person: Person, asked: Asked, match: Match, typed: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with a program, by the key of its input; empty: nothing that was found.

    Args:
        person: Who is asked for one.
        asked: The question.
        match: That it would play in.
        typed: What was typed, by the key of its input.
    """
    reply, source = forms_for(person, asked).read(typed), person.info.game.actions.source
    if isinstance(reply, dict) or source is None:
        return {} if isinstance(reply, str) else reply
    key = f"{MOVE}{source[0]}"
    problem = trial(person.info.game, match, typed[key].replace("\r\n", "\n"))
    return {key: problem} if problem else {}


def trial(game: Game, match: Match, source: str) -> str:
    """What the referee says of a program that plays one meta-round against its copy; empty: it has not failed."""
    if game.referee is None:
        return ""
    params = game.params(**match.params)[1]
    move = game.actions.kinds[0].model(source)
    result = game.referee.ruling(params, game.rules.initial(params), [move, move], TRIAL).results[0]
    found = getattr(result, "problem", "")
    return f"Against its own copy: {found}" if found else ""
