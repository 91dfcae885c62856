"""References for the survival auction: who could have lived, what is certain, and the last day.

No equilibrium of the whole game is known. The last day can be solved, since money is worth nothing after it: to bid
everything is never worse than another bid (`last_day_winner`). Equals who have spent the same then get nothing at all,
which is the point of the game: somebody has to step back.

Source:
    Zhang, Y. et al. (2024). K-level reasoning with large language models. arXiv:2402.01521, game SAG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.amounts import ROUND_CEILING, dollars
from econzoo.envs.core.parameters import Described, Real, Several
from econzoo.envs.core.valid import checked, market_of
from econzoo.envs.families.survival import solution as shared
from econzoo.envs.families.survival.health import SURVIVAL
from econzoo.envs.families.survival.solution import settled
from econzoo.envs.families.survival.watering import Allocation, Town, days_left_dry
from econzoo.envs.families.survival.watering_program import TIME_LIMIT, best_allocation
from econzoo.envs.families.survival.words import purse
from econzoo.envs.games.survival_auction.rules import Params, View


def town_of(params: Params, reward: int | None = None) -> Town:
    """The match as a town in which everybody needs one unit and every day brings one.

    Args:
        params: The match.
        reward: What counts, if not what the payoffs count.
    """
    health, counts = market_of(params, Params), params.reward if reward is None else reward
    return Town((1,) * params.players, (1,) * params.days, health.start_health, health.max_health, counts)


def most_survivors(params: Params, time_limit: float = TIME_LIMIT) -> Allocation:
    """The turns that keep the most players alive to the end, with one of them served a day.

    Money does not count: the one whose turn it is bids something, the others nothing.

    Args:
        params: The match.
        time_limit: Seconds; after that `Allocation.proven` may be False, and `Allocation.bound` is the upper bound.

    Raises:
        ImportError: scipy is not installed.
    """
    return best_allocation(town_of(params, SURVIVAL), time_limit)


def efficient_allocation(params: Params, time_limit: float = TIME_LIMIT) -> Allocation:
    """The turns with the greatest sum of payoffs, as the match's reward counts them; see `most_survivors`."""
    return best_allocation(town_of(params), time_limit)


def price_of_anarchy(params: Params, payoffs: Sequence[float], time_limit: float = TIME_LIMIT) -> float:
    """The greatest possible sum of payoffs over the sum that was reached; 1 for an efficient outcome.

    Args:
        params: The match.
        payoffs: That were reached, one a player.
        time_limit: Seconds for the search; if they are not enough, the best sum found stands for the greatest.

    Returns:
        A ratio >= 1; infinite if nothing was reached though something could be; NaN if nothing could be reached.
    """
    return shared.price_of_anarchy(town_of(params), payoffs, time_limit)


# The last day


def _purses(value: Any) -> tuple[float, ...]:
    return Several(max(1, len(value)), Real(0.0))(value)


def last_day_winner(balances: Sequence[float]) -> int | None:
    """Who is served on the last day if nobody makes a dominated bid; None if nobody is.

    After the last day money is worth nothing, and the bids of the others are what they are: whatever wins for less than
    one's whole balance, the whole balance wins too. So to bid everything is weakly dominant for all whom the water
    helps. The richest is served, and nobody if two or more are the richest.

    Args:
        balances: Dollars of each living player whom the water helps, at least one.
    """
    purses = checked("balances", balances, Described(_purses, "one or more numbers >= 0"))
    richest = max(purses)
    return purses.index(richest) if purses.count(richest) == 1 else None


# What is certain


def alone(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is served every day: no strategy brings it more, whatever the others do."""
    return shared.expected_payoffs(market_of(params, Params), (1.0,) * params.players)


def dry(params: Params) -> tuple[float, ...]:
    """Payoff of each player if it is never served."""
    return shared.expected_payoffs(market_of(params, Params), (0.0,) * params.players)


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Payoffs in equilibria without dominated bids where these are known; NaN, not known, elsewhere.

    They are for a player who is alone, where everybody lives without water, and for a game of one day, which is a last
    day of equals: nobody is served.
    """
    if market_of(params, Params).players == 1 or settled(params):
        return alone(params)
    return dry(params) if params.days == 1 else (math.nan,) * params.players


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the payoffs of all seats.

    Returns:
        ``equilibrium`` if it is known, ``served every day`` (the most that each seat could have, not together), ``never
        served``.
    """
    points = {"served every day": alone(params), "never served": dry(params)}
    return shared.with_equilibrium(equilibrium_payoffs(params), points)


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What follows from the rules for the seat of a view; the equilibrium is known for the last day only."""
    own = view.seat
    if view.over:
        return {"advice": "the game is over"}
    rivals = [view.balances[i] for i, died in enumerate(view.died) if died == 0 and i != own]
    if not rivals:
        return {"advice": "you are alone: a bid of 0 is served"}
    spare = days_left_dry(view.healths[own], view.no_water_days[own])
    told = {
        "days without water that you survive from today": str(spare),
        "most that another can bid": f"${dollars(max(rivals), ROUND_CEILING)}; you have ${purse(view.balances[own])}",
    }
    if view.round == view.days:
        return {**told, "theory": "on the last day no bid is better than all that you have"}
    return {**told, "theory": "no equilibrium of this game is known before its last day"}
