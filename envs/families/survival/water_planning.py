"""Who could have lived: what comes of serving residents of a dry town day by day, with supplies that are known.

Money does not count. A resident who is to be served needs to bid no more than its purse holds; those who are not bid
less, or more than they have, which is void. So every allocation of whole requirements within the supply of each day
comes about by some bids, and the best one is a bound that play can reach. It is the bound for a planner who knows the
supplies of all days beforehand; nobody at the table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.families.survival.health import payoff_of, update_condition


class Town(NamedTuple):
    """What a planner needs to know.

    Attributes:
        requirements: Units that each resident needs a day.
        supplies: Units of each day, known in advance.
        start_health: Health points at the beginning.
        max_health: Most health points.
        reward: What counts: 0 survival, 1 health, 2 days lived (see `econzoo.envs.families.survival.health`).
    """

    requirements: tuple[int, ...]
    supplies: tuple[int, ...]
    start_health: int
    max_health: int
    reward: int


class Allocation(NamedTuple):
    """Who is served when, and what comes of it.

    Attributes:
        served: Seats served on each day, rising.
        lives: Who is alive at the end.
        payoffs: Of each seat, as the reward counts them.
        welfare: Sum of the payoffs.
        bound: No allocation has a greater sum.
        proven: Whether the welfare reaches the bound, so that no allocation is better.
    """

    served: tuple[tuple[int, ...], ...]
    lives: tuple[bool, ...]
    payoffs: tuple[float, ...]
    welfare: float
    bound: float
    proven: bool

    @property
    def survivors(self) -> int:
        """How many are alive at the end."""
        return sum(self.lives)


def simulate_survival(town: Town, served: Sequence[Sequence[int]]) -> tuple[tuple[float, ...], tuple[bool, ...]]:
    """Payoffs of all seats, and who is alive at the end, if these seats are served day by day.

    Raises:
        ValueError: More units are given out on a day than there are, or the dead are served.
    """
    seats = range(len(town.requirements))
    conditions, died = [(town.start_health, 0) for _ in seats], [0 for _ in seats]
    for day, chosen in enumerate(served):
        used = sum([town.requirements[i] for i in chosen])
        if used > town.supplies[day] or any(died[i] for i in chosen):
            raise ValueError(f"day {day + 1}: seats {tuple(chosen)} cannot be served with {town.supplies[day]} units")
        for i in [i for i in seats if not died[i]]:
            conditions[i] = update_condition(town.max_health, conditions[i], i in chosen)
            died[i] = day + 1 if conditions[i][0] <= 0 else 0
    payoffs = [payoff_of(town.reward, died[i], conditions[i][0], len(served)) for i in seats]
    return tuple(payoffs), tuple([day == 0 for day in died])


def survivable_dry_days(health: int, dry_days: int) -> int:
    """Days in a row without water, from today, that one survives.

    Args:
        health: Health points this morning.
        dry_days: Days in a row without water before today.
    """
    days = 0
    while health - (dry_days + days + 1) > 0:
        days += 1
        health -= dry_days + days
    return days
