"""Outcomes of daily water allocations with known supplies: the planner's problem of survival games.

Money does not count: a resident to be served can bid within its balance, and the others bid less, or more than they
have, which is void. So some bids implement every allocation of full requirements within the supply of each day, and the
optimum is a bound that play can reach. The planner knows the supplies of all days in advance; players do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.families.survival.health import payoff_of, update_condition


class Town(NamedTuple):
    """The planner's problem.

    Attributes:
        requirements: Units of water per day that each resident needs.
        supplies: Units of each day, known in advance.
        reward: Kind of payoffs: 0 survival, 1 health, 2 days lived (see `econzoo.envs.families.survival.health`).
    """

    requirements: tuple[int, ...]
    supplies: tuple[int, ...]
    start_health: int
    max_health: int
    reward: int


class Allocation(NamedTuple):
    """An allocation of water and its outcome.

    Attributes:
        served: Seats served on each day, ascending.
        bound: Upper bound on the welfare of any allocation.
        proven: Whether the welfare reaches the bound, so that the allocation is optimal.
    """

    served: tuple[tuple[int, ...], ...]
    lives: tuple[bool, ...]
    payoffs: tuple[float, ...]
    welfare: float
    bound: float
    proven: bool

    @property
    def survivors(self) -> int:
        """Number of residents alive at the end."""
        return sum(self.lives)


def simulate_survival(town: Town, served: Sequence[Sequence[int]]) -> tuple[tuple[float, ...], tuple[bool, ...]]:
    """Return the payoff of each seat, and whether it is alive at the end, for the seats served on each day."""
    seats = range(len(town.requirements))
    conditions, died = [(town.start_health, 0) for _ in seats], [0 for _ in seats]
    for day, chosen in enumerate(served):
        used = sum([town.requirements[i] for i in chosen])
        if used > town.supplies[day] or any(died[i] for i in chosen):
            raise ValueError(f"day {day + 1}: cannot serve seats {tuple(chosen)} with {town.supplies[day]} units")
        for i in [i for i in seats if not died[i]]:
            conditions[i] = update_condition(town.max_health, conditions[i], i in chosen)
            died[i] = day + 1 if conditions[i][0] <= 0 else 0
    payoffs = [payoff_of(town.reward, died[i], conditions[i][0], len(served)) for i in seats]
    return tuple(payoffs), tuple([day == 0 for day in died])


def survivable_dry_days(health: int, dry_days: int) -> int:
    """Number of consecutive days without water, from today, that a resident survives after `dry_days` of them."""
    days = 0
    while health - (dry_days + days + 1) > 0:
        days += 1
        health -= dry_days + days
    return days
