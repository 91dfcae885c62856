"""Indicators of the survival auction: what Zhang et al. (2024, section 4) measure for one player of a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from econzoo.envs.families import k_level
from econzoo.envs.families.survival import Day


def played_rounds(days: Sequence[Day], seat: int) -> list[Day]:
    """The days on which a seat bid: to that of its death, which counts as in the paper, or the last day of all."""
    return [day for day in days if not math.isnan(day.bids[seat])]


def win_rate(days: Sequence[Day], seat: int) -> float:
    """Days on which the player got the water, as a part of those on which it bid, in [0, 1]; NaN if there are none."""
    return k_level.mean([float(seat in day.winners) for day in played_rounds(days, seat)])


def deviations(days: Sequence[Day], seat: int) -> list[float]:
    """Distance of the own bid from the highest of the others, for each day played; NaN where nobody else was left."""
    return [
        abs(day.bids[seat] - k_level.maximum(day.bids[:seat] + day.bids[seat + 1 :]))
        for day in played_rounds(days, seat)
    ]


prediction_error = partial(k_level.prediction_error, statistic=k_level.maximum)
"""Distance between the highest bid predicted for the others on a day and the highest that they made, in dollars."""
