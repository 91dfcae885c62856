"""Metrics that the games of ALYMPICS have in common: gains as the reward counts them, and how evenly lives were spread.

Efficiency is the mean gain of all: in games of survival 1 if everybody lives to the end (in full health, where health
counts). Fairness is Jain's index of the days lived, (sum x)^2 / (n sum x^2): 1 if all lived equally long, 1/n if only
one lived for a day (Jain, Chiu and Hawe 1984); 1 where nobody lived for a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.families.survival.health import SurvivalParams, SurvivalState, completed_days, days_lived, gains

DEFINITIONS = ("paper",)


def outcome(p: SurvivalParams, s: SurvivalState, definition: str = "paper") -> Outcome:
    """The metrics of a position of a game of survival, normally the last one.

    Args:
        p: The match.
        s: The position.
        definition: ``"paper"``.
    """
    lived = [days_lived(died, completed_days(s)) for died in s.died]
    return outcome_of(gains(p, s), lived, s.over and max(s.died) == 0)


def outcome_of(shares: tuple[float, ...], counts: Sequence[int], all_survived: bool) -> Outcome:
    """Efficiency is the mean gain, fairness Jain's index.

    Args:
        shares: Gain of each seat.
        counts: What should be even, one a seat: days lived, or rounds won.
        all_survived: Whether the game is over and nobody has left it before.
    """
    return Outcome(shares, sum(shares) / len(shares), jain(counts), all_survived)


def jain(values: Sequence[int]) -> float:
    """Jain's index of fairness, (sum x)^2 / (n sum x^2); 1 for all zeros."""
    squares = sum([value * value for value in values])
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0


class Day(NamedTuple):
    """One day that is over. Tuples have one entry a seat.

    Attributes:
        day: 1-based.
        supply: Units.
        bids: Dollars; NaN for the dead.
        purses: Dollars in the morning, the salary of the day included.
        winners: Seats that were served, in the order of the award.
        balances: Dollars in the evening.
        healths: Health points in the evening; of the dead those they died with.
        no_water_days: Days in a row without water, this one included; 0: served.
        died: Day of death; 0 while alive.
    """

    day: int
    supply: int
    bids: tuple[float, ...]
    purses: tuple[float, ...]
    winners: tuple[int, ...]
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    no_water_days: tuple[int, ...]
    died: tuple[int, ...]
