"""What is measured of the days of a match in the games of survival."""

from __future__ import annotations

from typing import NamedTuple


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
