"""What a game's solution says about recorded matches, and the moves of a match as it takes them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game


@cache
def params_of(game_name: str, public: str) -> Any:
    """The rules' ``Params`` of public parameters as JSON."""
    return find_game(game_name).params(**json.loads(public))[1]


@cache
def equilibrium_payoffs(game_name: str, public: str) -> tuple[float, ...] | None:
    """Equilibrium payoffs of all seats, or None if the game names none."""
    solve = solution_part(find_game(game_name), "equilibrium_payoffs")
    return None if solve is None else tuple(map(float, solve(params_of(game_name, public))))


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
