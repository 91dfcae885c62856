"""Theory that the games of survival have in common: the best for all, what is certain, and what a seat may be told.

What a planner could have done is asked of a `Town`, which every game makes of a match (``town_of`` of its solution).

Source of the price of anarchy:
    Koutsoupias, E. and Papadimitriou, C. (1999). Worst-case equilibria. STACS 99.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from econzoo.envs.core.amounts import ROUND_CEILING, dollars
from econzoo.envs.core.contract.arguments import check_argument
from econzoo.envs.core.contract.parameters import Real, TupleOf
from econzoo.envs.families.survival.health import (
    HEALTH,
    SURVIVAL,
    Condition,
    SurvivalParams,
    payoff_of,
    update_condition,
)
from econzoo.envs.families.survival.texts import format_balance
from econzoo.envs.families.survival.water_planning import Allocation, Town, survivable_dry_days
from econzoo.envs.families.survival.water_program import TIME_LIMIT, best_allocation

Points = dict[str, tuple[float, ...]]


def most_survivors(town: Town, time_limit: float = TIME_LIMIT) -> Allocation:
    """The allocation that keeps the most residents alive to the end of known supplies.

    Whole requirements are served within the supply of each day, nothing is carried over, and money does not count.
    `econzoo.envs.families.survival.water_planning` says why play can reach it, `water_program` beside it how it is
    found.

    Args:
        town: Residents and supplies; what its reward counts does not matter.
        time_limit: Seconds; after that `Allocation.proven` may be False, and `Allocation.bound` is the upper bound.

    Raises:
        ImportError: scipy is not installed.
    """
    return best_allocation(town._replace(reward=SURVIVAL), time_limit)


def price_of_anarchy(town: Town, payoffs: Sequence[float], time_limit: float = TIME_LIMIT) -> float:
    """The greatest possible sum of payoffs over the sum that was reached, for the same supplies.

    The price of anarchy proper compares with the worst equilibrium; this ratio compares with one outcome, whatever led
    to it. It is 1 for an efficient outcome.

    Args:
        town: Residents and supplies.
        payoffs: That were reached, one a resident.
        time_limit: Seconds for the search; if they are not enough, the best sum found stands for the greatest.

    Returns:
        A ratio >= 1; infinite if nothing was reached though something could be; NaN if nothing could be reached.

    Raises:
        ValueError: These are not the payoffs of so many residents.
        ImportError: scipy is not installed.
    """
    seats = len(town.requirements)
    given = check_argument("payoffs", payoffs, TupleOf(seats, Real(0.0)))
    best, reached = best_allocation(town, time_limit).welfare, math.fsum(given)
    if reached > 0.0:
        return max(1.0, best / reached)
    return math.inf if best > 0.0 else math.nan


def is_water_worthless(params: SurvivalParams) -> bool:
    """Whether the auction does not matter: without any water everybody lives, and health does not count."""
    return params.reward != HEALTH and params.start_health > params.days * (params.days + 1) // 2


def expected_payoffs(params: SurvivalParams, chances: Sequence[float]) -> tuple[float, ...]:
    """Expected payoff of each resident who is served on every day with its own probability, while it lives.

    Args:
        params: The match.
        chances: Probability of water on a day, one a resident, each in [0, 1].
    """
    by_chance = {chance: expected_payoff(params, chance) for chance in set(chances)}
    return tuple([by_chance[chance] for chance in chances])


def expected_payoff(params: SurvivalParams, chance: float) -> float:
    """Expected payoff of a resident who is served on every day with this probability, while it lives."""
    now: dict[Condition, float] = {(params.start_health, 0): 1.0}
    total = 0.0
    for day in range(1, params.days + 1):
        after: dict[Condition, float] = {}
        for condition, weight in now.items():
            for served, share in ((True, chance), (False, 1.0 - chance)):
                then = update_condition(params.max_health, condition, served)
                if then[0] > 0:
                    after[then] = after.get(then, 0.0) + weight * share
                else:
                    total += weight * share * payoff_of(params.reward, day, 0, day)
        now = after
    ends = [weight * payoff_of(params.reward, 0, health, params.days) for (health, _), weight in now.items()]
    return total + sum(ends)


def add_equilibrium(known: tuple[float, ...], points: Mapping[str, tuple[float, ...]]) -> Points:
    """Named reference points, led by the payoffs in equilibrium where they are known (none is NaN)."""
    return dict(points) if any(map(math.isnan, known)) else {"equilibrium": known, **points}


# For players: what a seat may be told


def describe_spare_days(view: Any) -> dict[str, str]:
    """How long the seat of a view lives without water."""
    days = survivable_dry_days(view.healths[view.seat], view.no_water_days[view.seat])
    return {"days without water that you survive from today": str(days)}


def rivals_of(view: Any) -> list[int]:
    """The other seats that live."""
    return [seat for seat, died in enumerate(view.died) if died == 0 and seat != view.seat]


def highest_possible_bid(view: Any, rivals: Iterable[int]) -> str:
    """The most that any of these seats can bid, and what the seat of a view has, in dollars."""
    most = dollars(max([view.balances[seat] for seat in rivals]), ROUND_CEILING)
    return f"${most}; you have ${format_balance(view.balances[view.seat])}"
