"""Metrics of the open-source coin game: as in the base game, over the turns of all meta-rounds.

Gains are points a turn. Efficiency is the points of both together as a part of 2 a turn, which nobody can beat and
chance seldom allows. Fairness is 1 less the difference of points as a part of the greatest that the coins taken could
have made. The match is agreed if it is over and nobody has taken a coin of the other's in any meta-round.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.coin_game.metrics import fairness
from econzoo.envs.games.program_coin.rules import Params, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: Any, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one.

    Args:
        p: The setting.
        s: The position.
        definition: ``"paper"``.
    """
    efficiency, own = sum(s.score) / (2.0 * p.turns * p.rounds), sum(s.kept)
    fair = fairness(s.score, own, sum(s.taken) - own)
    return Outcome(gains(p, s), efficiency, fair, s.over and s.kept == s.taken)
