"""Reference points of the survival auction: payoff bounds, and the last day.

No equilibrium of the full game is known. On the last day money has no further value, so bidding the balance is weakly
dominant (`last_day_winner`). Players with equal balances then get nothing, which is the point of the game: one of them
has to yield. The welfare optimum is in `econzoo.envs.families.survival.solution`, for the match as a town (`town_of`).

Source:
    Zhang, Y. et al. (2024). K-level reasoning with large language models. arXiv:2402.01521, game SAG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract import Real, TupleOf, check_argument, check_setting
from econzoo.envs.families.survival import Town
from econzoo.envs.families.survival import solution as shared
from econzoo.envs.games.survival_auction.rules import MAX_PLAYERS, Params, View


def town_of(params: Params) -> Town:
    """The match as a town in which all residents need one unit and each day's supply is one."""
    p = check_setting(params, Params)
    return Town((1,) * p.players, (1,) * p.days, p.start_health, p.max_health, p.reward)


# The last day


def last_day_winner(balances: Sequence[float]) -> int | None:
    """Winner of the last day in undominated bids; None if there is none.

    Money has no value after the last day, and the balance wins whenever a lower bid does. So bidding the balance is
    weakly dominant for all players that water helps. The richest wins; nobody does if it is tied.

    Args:
        balances: Dollars of each living player that water helps, at least one.
    """
    money = check_argument("balances", balances, TupleOf(MAX_PLAYERS, Real(0.0), min_length=1))
    richest = max(money)
    return money.index(richest) if money.count(richest) == 1 else None


# Payoff bounds


def payoffs_without_rivals(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is served every day, an upper bound for any strategy."""
    return shared.expected_payoffs(check_setting(params, Params), (1.0,) * params.players)


def payoffs_without_water(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is never served."""
    return shared.expected_payoffs(check_setting(params, Params), (0.0,) * params.players)


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Payoffs in equilibria in undominated bids if known, else NaN.

    They are known for a single player, if all survive without water, and for a game of one day, in which tied players
    are not served.
    """
    if check_setting(params, Params).players == 1 or shared.is_water_worthless(params):
        return payoffs_without_rivals(params)
    return payoffs_without_water(params) if params.days == 1 else (math.nan,) * params.players


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the payoffs of all seats.

    Returns:
        ``equilibrium`` if it is known, ``served every day`` (the most that each seat could have, not together), ``never
        served``.
    """
    points = {"served every day": payoffs_without_rivals(params), "never served": payoffs_without_water(params)}
    return shared.add_equilibrium(equilibrium_payoffs(params), points)


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view; the equilibrium is known for the last day only."""
    if view.over:
        return {"advice": "the game is over"}
    rivals = shared.rivals_of(view)
    if not rivals:
        return {"advice": "you are alone: a bid of 0 is served"}
    out = {**shared.describe_spare_days(view), "most that another can bid": shared.highest_possible_bid(view, rivals)}
    if view.round == view.days:
        return {**out, "theory": "on the last day no bid is better than all that you have"}
    return {**out, "theory": "no equilibrium of this game is known before its last day"}
