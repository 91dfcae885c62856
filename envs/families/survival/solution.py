"""Theory of survival games: the welfare optimum, expected payoffs, and advice to seats.

The optimum is computed for a `Town`, which every game builds from a match (``town_of`` of its solution).

Source of the price of anarchy:
    Koutsoupias, E. and Papadimitriou, C. (1999). Worst-case equilibria. STACS 99.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from econzoo.envs.core import ROUND_CEILING, dollars
from econzoo.envs.core.contract import Real, TupleOf, check_argument
from econzoo.envs.families.survival.health import HEALTH, SURVIVAL, Condition, SurvivalParams, payoff_of
from econzoo.envs.families.survival.health import update_condition
from econzoo.envs.families.survival.texts import format_balance
from econzoo.envs.families.survival.water_planning import Allocation, Town, survivable_dry_days
from econzoo.envs.families.survival.water_program import TIME_LIMIT, best_allocation

Points = dict[str, tuple[float, ...]]


def most_survivors(town: Town, time_limit: float = TIME_LIMIT) -> Allocation:
    """Find the allocation with the most survivors, for known supplies.

    Requirements are served in full within the supply of each day, nothing is carried over, and money does not count.
    `econzoo.envs.families.survival.water_planning` explains why play can reach it, `water_program` the algorithm.

    Args:
        time_limit: Seconds; after that `Allocation.proven` may be False, and `Allocation.bound` is the upper bound.
    """
    return best_allocation(town._replace(reward=SURVIVAL), time_limit)


def price_of_anarchy(town: Town, payoffs: Sequence[float], time_limit: float = TIME_LIMIT) -> float:
    """Maximum welfare divided by the realised sum of payoffs, for the same supplies.

    The price of anarchy proper compares with the worst equilibrium; this ratio compares with one outcome. It is 1 for
    an efficient outcome.

    Args:
        time_limit: Seconds for the search; after that the best sum found replaces the maximum.

    Returns:
        A ratio >= 1; infinite if only the realised sum is 0; NaN if the maximum is 0.
    """
    seats = len(town.requirements)
    realised = math.fsum(check_argument("payoffs", payoffs, TupleOf(seats, Real(0.0))))
    best = best_allocation(town, time_limit).welfare
    if realised > 0.0:
        # A search that ran out of time can be worse than the outcome.
        return max(1.0, best / realised)
    return math.inf if best > 0.0 else math.nan


def is_water_worthless(params: SurvivalParams) -> bool:
    """Whether water has no value: all residents survive without it, and health does not count."""
    # Days without water cost 1, 2, 3, ... health points: days * (days + 1) / 2 in all.
    return params.reward != HEALTH and params.start_health > params.days * (params.days + 1) // 2


def expected_payoffs(params: SurvivalParams, chances: Sequence[float]) -> tuple[float, ...]:
    """Expected payoff of each resident if it is served every day with its own probability.

    Args:
        chances: Daily probability of water, one per resident, each in [0, 1].
    """
    # Residents with equal probabilities share the computation.
    by_chance = {chance: expected_payoff(params, chance) for chance in set(chances)}
    return tuple([by_chance[chance] for chance in chances])


def expected_payoff(params: SurvivalParams, chance: float) -> float:
    """Expected payoff of a resident that is served every day with this probability."""
    now: dict[Condition, float] = {(params.start_health, 0): 1.0}
    total = 0.0
    for day in range(1, params.days + 1):
        after: dict[Condition, float] = {}
        for condition, weight in now.items():
            for served, probability in ((True, chance), (False, 1.0 - chance)):
                next_condition = update_condition(params.max_health, condition, served)
                if next_condition[0] > 0:
                    after[next_condition] = after.get(next_condition, 0.0) + weight * probability
                else:
                    total += weight * probability * payoff_of(params.reward, day, 0, day)
        now = after
    ends = [weight * payoff_of(params.reward, 0, health, params.days) for (health, _), weight in now.items()]
    return total + sum(ends)


def add_equilibrium(known: tuple[float, ...], points: Mapping[str, tuple[float, ...]]) -> Points:
    """Prepend the equilibrium payoffs to named reference points, unless one of them is NaN."""
    return dict(points) if any(map(math.isnan, known)) else {"equilibrium": known, **points}


# Advice to seats, from views only


def describe_spare_days(view: Any) -> dict[str, str]:
    """Days that the seat of a view survives without water."""
    days = survivable_dry_days(view.healths[view.seat], view.no_water_days[view.seat])
    return {"days without water that you survive from today": str(days)}


def rivals_of(view: Any) -> list[int]:
    """The other living seats."""
    return [seat for seat, died in enumerate(view.died) if died == 0 and seat != view.seat]


def highest_possible_bid(view: Any, rivals: Iterable[int]) -> str:
    """Largest valid bid of these seats, and the balance of the seat of the view, in dollars."""
    most = dollars(max([view.balances[seat] for seat in rivals]), ROUND_CEILING)
    return f"${most}; you have ${format_balance(view.balances[view.seat])}"
