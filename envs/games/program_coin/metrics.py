"""Metrics of the open-source coin game: as in the base game, over the turns of all meta-rounds.

Gains are points per turn. Efficiency is the sum of points over 2 per turn, an upper bound that chance seldom allows.
Fairness is 1 minus the difference of points over the largest difference possible with the coins taken. The match is
agreed if it is over and no program took a coin of the other's in any meta-round.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.coin_game.metrics import fairness, ranges_of
from econzoo.envs.games.program_coin.rules import Params, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: Any, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    efficiency, own = sum(s.score) / (2.0 * p.turns * p.rounds), sum(s.kept)
    fair = fairness(s.score, own, sum(s.taken) - own)
    return Outcome(gains(p, s), efficiency, fair, s.over and s.kept == s.taken)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, those of the base game over all turns."""
    return ranges_of(p.turns * p.rounds)
