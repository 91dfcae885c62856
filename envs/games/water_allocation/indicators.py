"""Indicators of the Water Allocation Challenge (ALYMPICS, arXiv:2311.03220, section 4), from the days that were played.

RSR is the expected supply of a day divided by what the living need: at the start of a game, with everybody alive, or at
its end. The other indicators are survivors, survival rates over games, and the minimum successful bid of a day.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from econzoo.envs.families import drop_nan, mean
from econzoo.envs.families.survival import Day
from econzoo.envs.games.water_allocation.rules import Params


def alive_mask(params: Params, days: Sequence[Day]) -> tuple[bool, ...]:
    """Whether each resident is alive after the days played; all are before the first."""
    return tuple([died == 0 for died in days[-1].died]) if days else (True,) * len(params.requirement)


def rsr(params: Params, alive: Sequence[bool]) -> float:
    """Expected supply of a day, (low + high) / 2, over the units that living residents need; NaN if there are none."""
    need = sum([units for units, lives in zip(params.requirement, alive, strict=True) if lives])
    return (params.low + params.high) / 2.0 / need if need else math.nan


def rsr_start(params: Params) -> float:
    """RSR with all residents alive."""
    return rsr(params, (True,) * len(params.requirement))


def rsr_end(params: Params, days: Sequence[Day]) -> float:
    """RSR of the residents alive after the days played; NaN if there are none."""
    return rsr(params, alive_mask(params, days))


def rsr_by_day(params: Params, days: Sequence[Day]) -> list[float]:
    """RSR in the morning of each day, of the residents who bid on that day."""
    return [rsr(params, [not math.isnan(bid) for bid in day.bids]) for day in days]


def survivors(params: Params, days: Sequence[Day]) -> int:
    """Number of residents alive after the days played."""
    return sum(alive_mask(params, days))


def minimum_successful_bid(day: Day) -> float:
    """Lowest bid that was served, in dollars; NaN if none was."""
    return min([day.bids[seat] for seat in day.winners], default=math.nan)


def daily_medians(games: Sequence[Sequence[float]]) -> list[float]:
    """Median over games of the minimum successful bid of each day, in dollars; NaN for a day without winners anywhere.

    Args:
        games: `minimum_successful_bid` of the days of each game; games may be of different length.
    """
    longest = max(map(len, games), default=0)
    by_day = [drop_nan([bids[day] for bids in games if day < len(bids)]) for day in range(longest)]
    return [median(bids) if bids else math.nan for bids in by_day]


def mean_of_daily_medians(games: Sequence[Sequence[float]]) -> float:
    """Mean of `daily_medians` over the days that have one, in dollars; NaN if none has."""
    return mean(daily_medians(games))
