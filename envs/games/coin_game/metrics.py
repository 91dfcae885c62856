"""Metrics of the Coin Game.

Gains are points a round. Both together get 1 point for every own coin that somebody takes and lose 1 for every coin of
the other's; efficiency is their sum as a part of 2 a round, which nobody can beat and chance seldom allows. What the
best joint policy can expect is in `econzoo.envs.games.coin_game.solution`: on the default board 0.55 of it. Fairness
is 1 less the difference of points as a part of the greatest that the coins taken could have made. The measures of
cooperation are in `econzoo.envs.games.coin_game.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.coin_game.rules import THEFT_COST, Params, State, gains, score

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The match.
        s: The position; ``agreed`` says that the match is over and there was no theft: nobody took the other's coin
            without taking its own on the same cell.
        definition: ``"paper"``.
    """
    scores = score(s, 0), score(s, 1)
    fair = fairness(scores, sum(s.own), sum(s.others))
    return Outcome(gains(p, s), sum(scores) / (2.0 * p.rounds), fair, s.over and not any(s.thefts))


def fairness(scores: tuple[float, float], own: int, others: int) -> float:
    """1 for equal points, 0 if every coin taken was taken in favour of the same player; 1 if none was.

    Each of the `own` coins that players took makes a difference of 1 point between them, each of the `others` of 3.
    """
    greatest = own + (1 + THEFT_COST) * others
    return 1.0 - abs(scores[0] - scores[1]) / greatest if greatest else 1.0
