"""Metrics of the open-source coin game: as in the base game, over the turns of all meta-rounds.

Gains are points a turn. Efficiency is the points of both together as a part of 2 a turn, which nobody can beat and
chance seldom allows. Fairness is 1 less the difference of points as a part of the greatest that the coins taken could
have made. The match is agreed if it is over and nobody has taken a coin of the other's in any meta-round.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.coin_game.rules import TAKEN_FROM
from econzoo.envs.games.program_coin.rules import Params, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: Any, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The match.
        s: The position.
        definition: ``"paper"``.
    """
    efficiency = sum(s.score) / (2.0 * p.turns * p.rounds)
    return Outcome(gains(p, s), efficiency, fairness(s), s.over and s.kept == s.taken)


def fairness(s: Any) -> float:
    """1 for equal points, 0 if every coin taken was taken in favour of the same player; 1 if none was.

    A coin of the own colour makes a difference of 1 point between the players, one of the other's colour of 3.
    """
    own, all_coins = sum(s.kept), sum(s.taken)
    greatest = own + (1 + TAKEN_FROM) * (all_coins - own)
    return 1.0 - abs(s.score[0] - s.score[1]) / greatest if greatest else 1.0
