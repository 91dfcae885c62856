"""Indicators of the survival auction: what Zhang et al. (2024, section 4) measure for one player of a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.families import k_level


class Day(NamedTuple):
    """One day that is over. Tuples have one entry a seat.

    Attributes:
        day: 1-based.
        bids: Dollars; NaN for the dead.
        purses: Dollars in the morning, the salary of the day included.
        winner: Seat that got the water, or None.
        balances: Dollars in the evening.
        healths: Health points in the evening; of the dead those they died with.
        no_water_days: Days in a row without water, this one included; 0: served.
        died: Day of death; 0 while alive.
    """

    day: int
    bids: tuple[float, ...]
    purses: tuple[float, ...]
    winner: int | None
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    no_water_days: tuple[int, ...]
    died: tuple[int, ...]


def played(days: Sequence[Day], seat: int) -> list[Day]:
    """The days on which a seat bid."""
    return [day for day in days if not math.isnan(day.bids[seat])]


def others(day: Day, seat: int) -> list[float]:
    """What the other living players bid."""
    return k_level.defined([bid for other, bid in enumerate(day.bids) if other != seat])


def survival_round(days: Sequence[Day], seat: int) -> int:
    """The last day that the player saw: the day of its death, which counts as in the paper, or the last day of all.

    A game that ends early because all have died is not stretched to its full length, as the public code does.
    """
    return len(played(days, seat))


def win_rate(days: Sequence[Day], seat: int) -> float:
    """Days on which the player got the water, as a part of those on which it bid, in [0, 1]; NaN if there are none."""
    return k_level.mean([float(day.winner == seat) for day in played(days, seat)])


def deviations(days: Sequence[Day], seat: int) -> list[float]:
    """Distance of the own bid from the highest of the others, for each day played; NaN where nobody else was left."""
    return [k_level.distance(day.bids[seat], max(others(day, seat), default=math.nan)) for day in played(days, seat)]


def adaption_index(days: Sequence[Day], seat: int, length: int) -> float:
    """Deviation from the highest bid of the others in the second half of the match over that in the first.

    Args:
        days: That are over.
        seat: Whose.
        length: Days that the match can last; see `econzoo.envs.families.k_level.adaption_index`.
    """
    return k_level.adaption_index(deviations(days, seat), length)


def prediction_error(predicted: Sequence[float], bids: Sequence[float]) -> float:
    """Distance between the highest bid predicted for the others on a day and the highest that they made.

    The paper calls it prediction accuracy; lower is better.

    Args:
        predicted: Dollars, one for each other living player; NaN for none.
        bids: What they bid; NaN for the dead.

    Returns:
        Dollars >= 0; NaN if there was no prediction, or nobody left to predict.
    """
    most = [max(k_level.defined(values), default=math.nan) for values in (predicted, bids)]
    return k_level.distance(*most)
