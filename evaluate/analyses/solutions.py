"""Access to a game's solution for recorded matches, and the moves of a match in its format."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, to_plain
from econzoo.envs.core.record import Record
from econzoo.evaluate.stats import nan_if_none

ROUNDING = 1e-9
"""Equilibrium payoffs below this fraction of their sum over seats count as zero."""


@cache
def params_of(game_name: str, public: str) -> Any:
    """Return the rules' ``Params`` for public parameters as JSON."""
    return find_game(game_name).params(**json.loads(public))[1]


@cache
def equilibrium_payoffs(game_name: str, public: str) -> tuple[float, ...] | None:
    """Return the equilibrium payoffs of all seats; None if the game has none."""
    solve = solution_part(find_game(game_name), "equilibrium_payoffs")
    return None if solve is None else tuple(map(float, solve(params_of(game_name, public))))


def public_text(params: Mapping[str, Any]) -> str:
    """Return public parameters as JSON, the input of `params_of` and `equilibrium_payoffs`."""
    return json.dumps(to_plain(params), sort_keys=True)


def shares_of_equilibrium(record: Record, public: str = "") -> list[float]:
    """Return each seat's payoff / equilibrium payoff; NaN if either is unknown or the latter is 0 up to rounding.

    Computed by the game's own ``share_of_equilibrium``, if it has one; else see `ROUNDING`.
    """
    if not record.has_result:
        return [math.nan] * len(record.payoffs)
    game, public = find_game(record.game), public or public_text(record.params)
    if (own := solution_part(game, "share_of_equilibrium")) is not None:
        return [nan_if_none(one) for one in own(params_of(game.name, public), record.payoffs)]
    due = equilibrium_payoffs(game.name, public) or [math.nan] * len(record.payoffs)
    least = ROUNDING * sum(map(abs, due))
    return [payoff / one if one > least else math.nan for payoff, one in zip(record.payoffs, due, strict=True)]


def solution_part(game: Game, name: str) -> Any:
    """Return a function of the game's solution; None if it has none of this name."""
    try:
        return getattr(game.solution, name, None)
    except ModuleNotFoundError:  # the game has no solution
        return None


def moves(game: Game, record: Record) -> list[tuple[int, int, int, float]]:
    """Return the moves of a match in order, each (seat, round, kind, amount)."""
    out = []
    for turn in record.turns:
        if turn.action is not None:
            index = game.actions.index[turn.action.get("kind", game.actions.names[0])]
            amount = game.actions.kinds[index].amount
            out.append((turn.seat, turn.round, index, float(turn.action[amount]) if amount else 0.0))
    return out
