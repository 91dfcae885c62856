"""Scripted strategies as the pure functions that the search for best responses takes."""

from __future__ import annotations

from econzoo.baselines.haggling import Opponent, opponent_of
from econzoo.baselines.player import Player
from econzoo.envs.games.bargaining import GAME


def as_opponent(spec: str | Player) -> Opponent:
    """The strategy of a spec as a function that `best_response` takes (see `econzoo.baselines.haggling.opponent_of`).

    Raises:
        ValueError: Unknown spec, or a player that is no function of what its seat has observed.
    """
    return opponent_of(spec, GAME)
