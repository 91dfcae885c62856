"""References for water allocation: who could have lived, what is certain, and what play lost.

No equilibrium of the game is known: a daily first-price auction with budgets, knapsack and health has no closed form.
It is known only where nobody has a rival (`no_rivalry`). What can be computed is the best that a planner could have
done (`most_survivors`, `efficient_allocation`), and how far play fell short of it (`price_of_anarchy`).

Sources:
    Mao, S. et al. (2025). ALYMPICS: LLM agents meet game theory. arXiv:2311.03220, section 4.
    Koutsoupias, E. and Papadimitriou, C. (1999). Worst-case equilibria. STACS 99. (Price of anarchy.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.amounts import ROUND_CEILING, dollars
from econzoo.envs.core.parameters import Several, Whole
from econzoo.envs.core.valid import checked, market_of
from econzoo.envs.families.survival import solution as shared
from econzoo.envs.families.survival.health import SURVIVAL
from econzoo.envs.families.survival.solution import settled
from econzoo.envs.families.survival.watering import Allocation, Town, days_left_dry
from econzoo.envs.families.survival.watering_program import TIME_LIMIT, best_allocation
from econzoo.envs.families.survival.words import purse
from econzoo.envs.games.water_allocation.rules import Params, View


def town_of(params: Params, supplies: Sequence[int], reward: int | None = None) -> Town:
    """The town with the supplies of its days.

    Args:
        params: The town.
        supplies: Units of each day, from the first; one for every day or for the first ones.
        reward: What counts, if not what the payoffs count.

    Raises:
        ValueError: A supply is not possible, or there are none or too many.
    """
    unit = Whole(market_of(params, Params).low, params.high)
    units = checked("supplies", supplies, Several(params.days, unit, least=1))
    counts = params.reward if reward is None else reward
    return Town(params.requirement, units, params.start_health, params.max_health, counts)


def most_survivors(params: Params, supplies: Sequence[int], time_limit: float = TIME_LIMIT) -> Allocation:
    """The allocation that keeps the most residents alive to the end of known supplies.

    Whole requirements are served within the supply of each day, nothing is carried over, and money does not count.
    `econzoo.envs.families.survival.watering` says why play can reach it, `watering_program` beside it how it is found.

    Args:
        params: The town.
        supplies: Units of each day.
        time_limit: Seconds; after that `Allocation.proven` may be False, and `Allocation.bound` is the upper bound.

    Raises:
        ValueError: A supply is not possible.
        ImportError: scipy is not installed.
    """
    return best_allocation(town_of(params, supplies, SURVIVAL), time_limit)


def efficient_allocation(params: Params, supplies: Sequence[int], time_limit: float = TIME_LIMIT) -> Allocation:
    """The allocation with the greatest sum of payoffs, as the town's reward counts them; see `most_survivors`."""
    return best_allocation(town_of(params, supplies), time_limit)


def price_of_anarchy(
    params: Params, supplies: Sequence[int], payoffs: Sequence[float], time_limit: float = TIME_LIMIT
) -> float:
    """The greatest possible sum of payoffs over the sum that was reached, for the same supplies.

    The price of anarchy proper compares with the worst equilibrium; this ratio compares with one outcome, whatever led
    to it. It is 1 for an efficient outcome.

    Args:
        params: The town.
        supplies: Units of the days that were played; where all had died before the end, of all days that are known.
        payoffs: That were reached, one a resident.
        time_limit: Seconds for the search; if they are not enough, the best sum found stands for the greatest.

    Returns:
        A ratio >= 1; infinite if nothing was reached though something could be; NaN if nothing could be reached.
    """
    return shared.price_of_anarchy(town_of(params, supplies), payoffs, time_limit)


# What is certain


def chances_alone(params: Params) -> tuple[float, ...]:
    """How likely the supply of a day is enough for each resident, if nobody else takes any."""
    supplies = params.high - params.low + 1
    return tuple([max(0, params.high - max(need, params.low) + 1) / supplies for need in params.requirement])


def no_rivalry(params: Params) -> bool:
    """Whether residents never compete: the units of a day are enough for all whom they are enough for one by one.

    So it is with one resident, with enough water for everybody, and where all but one need more than there ever is.
    """
    return all(sum([need for need in params.requirement if need <= units]) <= units for units in _thresholds(params))


def _thresholds(params: Params) -> list[int]:
    """The supplies at which somebody comes to be able to be served, and the least: rivalry is tightest there."""
    return sorted({params.low, *[need for need in params.requirement if params.low < need <= params.high]})


def alone(params: Params) -> tuple[float, ...]:
    """Expected payoff of each resident if the others took no water: no strategy brings it more, whatever they do."""
    return shared.expected_payoffs(params, chances_alone(params))


def dry(params: Params) -> tuple[float, ...]:
    """Payoff of each resident if it is never served."""
    return shared.expected_payoffs(params, (0.0,) * len(params.requirement))


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Expected payoffs where they are the same in every equilibrium in undominated bids; NaN, not known, elsewhere.

    Without rivalry whoever can be served is, with a bid of 0 say. And where everybody lives without water, everybody
    does so in any way of play.
    """
    if settled(params):
        return dry(params)
    if no_rivalry(params):
        return alone(params)
    return (math.nan,) * len(params.requirement)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the expected payoffs of all seats.

    Returns:
        ``equilibrium`` if it is known, ``alone`` (the most that each seat could have, not together), ``never served``.
    """
    points = {"alone": alone(params), "never served": dry(params)}
    return shared.with_equilibrium(equilibrium_payoffs(params), points)


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What follows from the rules for the seat of a view: there is no known equilibrium to advise."""
    own = view.seat
    if view.over:
        return {"advice": "the game is over"}
    need = view.requirements[own]
    spare = days_left_dry(view.healths[own], view.no_water_days[own])
    told = {
        "theory": "no equilibrium of this game is known",
        "days without water that you survive from today": str(spare),
    }
    if need > view.supply:
        return {**told, "advice": f"the {view.supply:g} units of today cannot serve you: any bid is the same"}
    rivals = [i for i, died in enumerate(view.died) if died == 0 and i != own]
    if need + sum([view.requirements[i] for i in rivals]) <= view.supply:
        return {**told, "advice": "there is enough for all today: a bid of 0 is served"}
    most = max([view.balances[i] for i in rivals])
    certain = f"nobody can bid more than ${dollars(most, ROUND_CEILING)}; you have ${purse(view.balances[own])}"
    return {**told, "most that another can bid": certain}
