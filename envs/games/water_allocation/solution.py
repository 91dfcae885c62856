"""Reference points of water allocation: payoff bounds, and the welfare optimum.

No equilibrium of the game is known: a daily first-price auction with budgets, knapsack and health has no closed form.
It is known only without rivalry (`has_no_rivalry`). The planner's optimum for the supplies of a match (`town_of`) and
the welfare loss of play can be computed: see `most_survivors`,
`best_allocation` and `price_of_anarchy` in `econzoo.envs.families.survival.solution`.

Source:
    Mao, S. et al. (2025). ALYMPICS: LLM agents meet game theory. arXiv:2311.03220, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract import Integer, TupleOf, check_argument, check_setting
from econzoo.envs.families.survival import Town
from econzoo.envs.families.survival import solution as shared
from econzoo.envs.games.water_allocation.rules import Params, View


def town_of(params: Params, supplies: Sequence[int]) -> Town:
    """The town with the supplies of its days.

    Args:
        supplies: Units of each day, from the first; one for every day or for the first ones.
    """
    unit = Integer(check_setting(params, Params).low, params.high)
    units = check_argument("supplies", supplies, TupleOf(params.days, unit, min_length=1))
    return Town(params.requirement, units, params.start_health, params.max_health, params.reward)


# Payoff bounds


def service_probabilities(params: Params) -> tuple[float, ...]:
    """Probability that the supply of a day covers each resident's requirement alone."""
    supplies = params.high - params.low + 1
    return tuple([max(0, params.high - max(need, params.low) + 1) / supplies for need in params.requirement])


def has_no_rivalry(params: Params) -> bool:
    """Whether residents never compete: the units of a day are enough for all whom they are enough for one by one.

    So it is with one resident, with enough water for everybody, and where all but one need more than there ever is.
    """
    return all(sum([need for need in params.requirement if need <= units]) <= units for units in _thresholds(params))


def _thresholds(params: Params) -> list[int]:
    """Supplies at which another resident becomes servable, and the smallest: rivalry is tightest there."""
    return sorted({params.low, *[need for need in params.requirement if params.low < need <= params.high]})


def payoffs_without_rivals(params: Params) -> tuple[float, ...]:
    """Expected payoff of each resident if the others took no water: no strategy brings it more, whatever they do."""
    return shared.expected_payoffs(params, service_probabilities(params))


def payoffs_without_water(params: Params) -> tuple[float, ...]:
    """Payoff of each resident if it is never served."""
    return shared.expected_payoffs(params, (0.0,) * len(params.requirement))


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Expected payoffs if they are equal in all equilibria in undominated bids, else NaN (unknown).

    Without rivalry all residents that can be served are, even with bids of 0. If all survive without water, they do so
    however they bid.
    """
    if shared.is_water_worthless(params):
        return payoffs_without_water(params)
    if has_no_rivalry(params):
        return payoffs_without_rivals(params)
    return (math.nan,) * len(params.requirement)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the expected payoffs of all seats.

    Returns:
        ``equilibrium`` if it is known, ``alone`` (the most that each seat could have, not together), ``never served``.
    """
    points = {"alone": payoffs_without_rivals(params), "never served": payoffs_without_water(params)}
    return shared.add_equilibrium(equilibrium_payoffs(params), points)


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, without a known equilibrium."""
    if view.over:
        return {"advice": "the game is over"}
    need, rivals = view.requirements[view.seat], shared.rivals_of(view)
    notes = {"theory": "no equilibrium of this game is known", **shared.describe_spare_days(view)}
    if need > view.supply:
        return {**notes, "advice": f"the {view.supply:g} units of today cannot serve you: any bid is the same"}
    if need + sum([view.requirements[i] for i in rivals]) <= view.supply:
        return {**notes, "advice": "there is enough for all today: a bid of 0 is served"}
    return {
        **notes,
        "most that another can bid": f"nobody can bid more than {shared.highest_possible_bid(view, rivals)}",
    }
