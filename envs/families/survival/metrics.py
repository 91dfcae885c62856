"""Metrics of the games of ALYMPICS.

Efficiency is the mean gain: 1 in survival games if all residents survive (with full health, if health counts). Fairness
is Jain's index of the days lived, (sum x)^2 / (n sum x^2): 1 if all lived equally long, 1/n if only one survived a day
(Jain, Chiu and Hawe 1984); 1 if nobody did.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.families.survival.health import SurvivalParams, SurvivalState, completed_days, days_lived, gains
from econzoo.envs.families.survival.health import payoff_of

DEFINITIONS = ("paper",)


def outcome(p: SurvivalParams, s: SurvivalState, definition: str = "paper") -> Outcome:
    """Metrics of a position of a survival game, normally the last one."""
    lived = [days_lived(died, completed_days(s)) for died in s.died]
    return outcome_of(gains(p, s), lived, s.over and max(s.died) == 0)


def ranges_of(p: SurvivalParams, residents: int) -> Ranges:
    """Ranges of payoffs and metrics: from nothing to the maximum for each resident, and those of Jain's index."""
    most = payoff_of(p.reward, 0, p.max_health, p.days)
    return Ranges(((0.0, most),) * residents, ((0.0, 1.0),) * residents, fairness=(1 / residents, 1.0))


def outcome_of(shares: tuple[float, ...], counts: Sequence[int], all_survived: bool) -> Outcome:
    """Efficiency is the mean gain, fairness Jain's index.

    Args:
        counts: Inputs of Jain's index, one per seat: days lived, or rounds won.
    """
    return Outcome(shares, sum(shares) / len(shares), jain(counts), all_survived)


def jain(values: Sequence[int]) -> float:
    """Jain's index of fairness, (sum x)^2 / (n sum x^2); 1 for all zeros."""
    squares = sum([value * value for value in values])
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0


class Day(NamedTuple):
    """A completed day. Tuples have one entry per seat.

    Attributes:
        day: 1-based.
        supply: Units of water.
        bids: Dollars; NaN for the dead.
        budgets: Dollars in the morning, including the salary of the day.
        balances: Dollars in the evening.
        no_water_days: Consecutive days without water, this one included; 0 if served.
        died: Day of death; 0 while alive.
    """

    day: int
    supply: int
    bids: tuple[float, ...]
    budgets: tuple[float, ...]
    winners: tuple[int, ...]
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    no_water_days: tuple[int, ...]
    died: tuple[int, ...]
