"""What a game's solution says about recorded matches, and the moves of a match as it takes them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.stats.columns import nan_if_none

ROUNDING = 1e-9
"""What an equilibrium pays a seat, over what it pays all together, that is nothing but rounding."""


@cache
def params_of(game_name: str, public: str) -> Any:
    """The rules' ``Params`` of public parameters as JSON."""
    return find_game(game_name).params(**json.loads(public))[1]


@cache
def equilibrium_payoffs(game_name: str, public: str) -> tuple[float, ...] | None:
    """Equilibrium payoffs of all seats, or None if the game names none."""
    solve = solution_part(find_game(game_name), "equilibrium_payoffs")
    return None if solve is None else tuple(map(float, solve(params_of(game_name, public))))


def public_text(params: Mapping[str, Any]) -> str:
    """Public parameters as JSON, as `params_of` and `equilibrium_payoffs` take them."""
    return json.dumps(to_plain(params), sort_keys=True)


def shares_of_equilibrium(record: Record, public: str = "") -> list[float]:
    """Each seat's payoff over its equilibrium payoff; NaN where either is not known, or the latter is 0 up to rounding.

    By the game's own ``share_of_equilibrium``, which knows the unit of its payoffs; else see `ROUNDING`.

    Args:
        record: The match.
        public: Its `public_text`, where that is known.
    """
    if not record.has_result:
        return [math.nan] * len(record.payoffs)
    game, public = find_game(record.game), public or public_text(record.params)
    if (own := solution_part(game, "share_of_equilibrium")) is not None:
        return [nan_if_none(one) for one in own(params_of(game.name, public), record.payoffs)]
    due = equilibrium_payoffs(game.name, public) or [math.nan] * len(record.payoffs)
    least = ROUNDING * sum(map(abs, due))
    return [got / one if one > least else math.nan for got, one in zip(record.payoffs, due, strict=True)]


def solution_part(game: Game, name: str) -> Any:
    """A function of the game's solution, or None if it has none of this name."""
    try:
        return getattr(game.solution, name, None)
    except ModuleNotFoundError:
        return None


def moves(game: Game, record: Record) -> list[tuple[int, int, int, float]]:
    """The moves of a match in order, each (seat, round, kind, amount)."""
    out = []
    for turn in record.turns:
        if turn.action is not None:
            index = game.actions.index[turn.action.get("kind", game.actions.names[0])]
            amount = game.actions.kinds[index].amount
            out.append((turn.seat, turn.round, index, float(turn.action[amount]) if amount else 0.0))
    return out
