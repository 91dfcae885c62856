"""First question of each seat in a match, and its legal answers."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

from econzoo.baselines import seats_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import ActionSchema, Legal
from econzoo.envs.core.env import GameEnv
from econzoo.evaluate.run import seat_players
from econzoo.wrappers import MatchLoop

DEFAULT_OPPONENT = "random"
"""Player in seats that the opponent cannot take, while questions are collected."""


class FirstQuestion(NamedTuple):
    """First question of a seat.

    Attributes:
        cycles: Moves per seat until the question is answered.
    """

    seat: int
    role: str
    actions: ActionSchema
    legal: Legal
    cycles: int


def first_questions(game_name: str, opponent: str, params: Mapping[str, Any]) -> list[FirstQuestion]:
    """Return the first question of each seat that the opponent leaves free, one per set of legal kinds."""
    questions = _play_first_questions(game_name, opponent, params)
    taken = seats_of(opponent, game_name)
    free = [
        one for one in questions if taken is None or all(seat.seat in taken for seat in questions if seat is not one)
    ]
    if not free:
        raise ValueError(f"invalid opponent {opponent!r}: expected a player of {game_name} for all seats but one")
    first: dict[Any, FirstQuestion] = {}
    for one in free:
        first.setdefault(one.legal.kinds, one)
    return [*first.values()]


def _play_first_questions(game_name: str, opponent: str, params: Mapping[str, Any]) -> list[FirstQuestion]:
    """Return the first question of every seat in one match."""
    seats = find_game(game_name).seats(find_game(game_name).params(**params)[1])
    taken = seats_of(opponent, game_name) or range(seats)
    players = seat_players(game_name, [opponent if seat in taken else DEFAULT_OPPONENT for seat in range(seats)])
    env = GameEnv(find_game(game_name), face=tuple(player.face for player in players), **params)
    env.reset(seed=0)
    found: dict[int, FirstQuestion] = {}
    table = MatchLoop(env, players, 0)
    while not env.over and len(found) < seats:
        if table.seat not in found:
            legal, cycles = env.legal(env.agent_selection), ceil((env.moves + 1) / seats)
            actions = find_game(game_name).actions.fit_to_bounds(legal.bounds)
            found[table.seat] = FirstQuestion(table.seat, env.roles[table.seat], actions, legal, cycles)
        env.step(table.player.act(table.observation, table.info))
        table.look()
    return [found[seat] for seat in sorted(found)]
