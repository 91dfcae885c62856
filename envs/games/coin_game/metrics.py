"""Metrics of the Coin Game.

Gains are points per round. Together the players gain 1 point per own coin taken and lose 1 per coin of the other's;
efficiency is the sum of points over 2 per round, an upper bound that chance seldom allows. The value of the best joint
policy is in `econzoo.envs.games.coin_game.solution`: 0.55 of this bound on the default board. Fairness is 1 minus the
difference of points over the largest difference possible with the coins taken. Measures of cooperation are in
`econzoo.envs.games.coin_game.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.coin_game.rules import THEFT_COST, Params, State, gains, score

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one.

    It is agreed if the match is over without theft: no player took the other's coin without taking its own on the same
    cell.
    """
    scores = score(s, 0), score(s, 1)
    fair = fairness(scores, sum(s.own), sum(s.others))
    return Outcome(gains(p, s), sum(scores) / (2.0 * p.rounds), fair, s.over and not any(s.thefts))


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, see `ranges_of`."""
    return ranges_of(p.rounds)


def ranges_of(turns: int) -> Ranges:
    """Ranges over a number of turns.

    A seat that takes both coins from one cell gains 2 points and costs the other 2. Together they gain 2 if each takes
    its own, and lose 2 if each takes the other's.
    """
    least, most = -float(THEFT_COST), 2.0
    return Ranges(((turns * least, turns * most),) * 2, ((least, most),) * 2, efficiency=(-1.0, 1.0))


def fairness(scores: tuple[float, float], own: int, others: int) -> float:
    """1 for equal points or without coins taken, 0 if every coin taken favoured the same player.

    Each of the `own` coins makes a difference of 1 point between the players, each of the `others` of 3.
    """
    greatest = own + (1 + THEFT_COST) * others
    return 1.0 - abs(scores[0] - scores[1]) / greatest if greatest else 1.0
