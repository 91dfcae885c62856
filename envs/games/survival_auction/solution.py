"""References for the survival auction: what is certain, and the last day.

No equilibrium of the whole game is known. The last day can be solved, since money is worth nothing after it: to bid
everything is never worse than another bid (`last_day_winner`). Equals who have spent the same then get nothing at all,
which is the point of the game: somebody has to step back. Who could have lived if all had taken turns is asked of
`econzoo.envs.families.survival.solution`, with the match as a town (`town_of`).

Source:
    Zhang, Y. et al. (2024). K-level reasoning with large language models. arXiv:2402.01521, game SAG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract.arguments import check_argument, check_setting
from econzoo.envs.core.contract.parameters import Real, TupleOf
from econzoo.envs.families.survival import solution as shared
from econzoo.envs.families.survival.water_planning import Town
from econzoo.envs.games.survival_auction.rules import MAX_PLAYERS, Params, View


def town_of(params: Params) -> Town:
    """The match as a town in which everybody needs one unit and every day brings one."""
    p = check_setting(params, Params)
    return Town((1,) * p.players, (1,) * p.days, p.start_health, p.max_health, p.reward)


# The last day


def last_day_winner(balances: Sequence[float]) -> int | None:
    """Who is served on the last day if nobody makes a dominated bid; None if nobody is.

    After the last day money is worth nothing, and the bids of the others are what they are: whatever wins for less than
    one's whole balance, the whole balance wins too. So to bid everything is weakly dominant for all whom the water
    helps. The richest is served, and nobody if two or more are the richest.

    Args:
        balances: Dollars of each living player whom the water helps, at least one.
    """
    purses = check_argument("balances", balances, TupleOf(MAX_PLAYERS, Real(0.0), min_length=1))
    richest = max(purses)
    return purses.index(richest) if purses.count(richest) == 1 else None


# What is certain


def payoffs_without_rivals(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is served every day: no strategy brings it more, whatever the others do."""
    return shared.expected_payoffs(check_setting(params, Params), (1.0,) * params.players)


def payoffs_without_water(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is never served."""
    return shared.expected_payoffs(check_setting(params, Params), (0.0,) * params.players)


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Payoffs in equilibria without dominated bids where these are known; NaN, not known, elsewhere.

    They are for a player who is alone, where everybody lives without water, and for a game of one day, which is a last
    day of equals: nobody is served.
    """
    if check_setting(params, Params).players == 1 or shared.is_water_worthless(params):
        return payoffs_without_rivals(params)
    return payoffs_without_water(params) if params.days == 1 else (math.nan,) * params.players


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the payoffs of all seats.

    Returns:
        ``equilibrium`` if it is known, ``served every day`` (the most that each seat could have, not together), ``never
        served``.
    """
    points = {"served every day": payoffs_without_rivals(params), "never served": payoffs_without_water(params)}
    return shared.add_equilibrium(equilibrium_payoffs(params), points)


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What follows from the rules for the seat of a view; the equilibrium is known for the last day only."""
    if view.over:
        return {"advice": "the game is over"}
    rivals = shared.rivals_of(view)
    if not rivals:
        return {"advice": "you are alone: a bid of 0 is served"}
    told = {**shared.describe_spare_days(view), "most that another can bid": shared.highest_possible_bid(view, rivals)}
    if view.round == view.days:
        return {**told, "theory": "on the last day no bid is better than all that you have"}
    return {**told, "theory": "no equilibrium of this game is known before its last day"}
