"""The best that a seat can do in a negotiation against an opponent whose behaviour is known.

The search is that of `econzoo.envs.families.offers.best_response`; what it calls exact is said there. Nobody discounts:
a trade is worth the same in every round, and the search goes on to the last one. Against somebody who accepts from a
threshold on, the best reply is the threshold of its most generous round. In each round that we post, prices on a grid
from the own value outwards are tried, then ever wider ones up to the limit of `rules`; the edge of what the opponent
accepts is found to the last bit of the larger of scale and values. Prices at a loss to us are not tried.
"""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.families.offers import best_response as search
from econzoo.envs.families.offers.best_response import BestResponse, Haggling, History, Memory, Opponent, Played
from econzoo.envs.games.negotiation import rules, valid
from econzoo.envs.games.negotiation.rules import ACCEPT, OFFER, PRICES, REJECT, SELLER, Params

__all__ = ["BestResponse", "History", "Memory", "Opponent", "Played", "best_response", "regret"]

WIDER = 4.0
"""Beyond the grid every price tried is this many times as far from the own value as the one before."""


def best_response(
    params: Params,
    seat: int,
    opponent: Opponent,
    *,
    memory: Memory = "history",
    grid: int = 101,
    width: int = 200,
) -> BestResponse:
    """The most a seat can earn against a known, deterministic opponent.

    Args:
        params: The market. The true horizon counts, also if the seats are not told.
        seat: The seat that replies, 0 or 1.
        opponent: How the other seat behaves.
        memory: ``"round"`` if the opponent looks only at the round and at the price it has to answer: then one line of
            play is enough and the value is exact. ``"history"`` if its later behaviour may depend on prices it
            rejected: a search, of which only a lower bound is known. ``"round"`` for an opponent that does remember
            gives a lower bound, and the upper bound is void.
        grid: Number of prices tried per round, evenly spaced over twice the larger of scale and values, >= 2.
        width: Lines of play kept at each of the opponent's prices, >= 1, under ``"history"``. If there are more,
            half of those kept are the ones where it posts the best price and half are spread over the rest.

    Returns:
        The value in dollars won over the own value, its upper bound, and the line of play that reaches it. The value is
        at least 0: nobody has to trade.

    Raises:
        ValueError: An argument is out of range, or the opponent makes a move that is not legal.
    """
    valid.market(params)
    search.check_search(seat, opponent, memory, grid, width)
    scale = max(params.money, *params.value)
    prices = _prices(params.value[seat], 1.0 if seat == SELLER else -1.0, 2.0 * scale, grid)
    farthest = abs(prices[-1] - params.value[seat])
    game = Haggling(
        rules,
        params,
        seat,
        prices,
        math.ulp(scale),
        lambda round: farthest if round <= params.horizon else 0.0,
        ACCEPT,
        REJECT,
        OFFER,
    )
    return search.search(game, opponent, memory, width)


regret = partial(search.regret, best_response)
"""``regret(params, seat, opponent, payoff)``, in dollars; see `search.regret`."""


def _prices(value: float, sign: float, reach: float, grid: int) -> tuple[float, ...]:
    """Prices from the own value outwards: evenly spaced as far as `reach`, then ever wider, up to the limit."""
    prices = [value + sign * reach * step / (grid - 1) for step in range(grid)]
    limit = PRICES[1] if sign > 0 else PRICES[0]
    while (limit - prices[-1]) * sign > 0:
        away = (prices[-1] - value) * WIDER
        prices.append(min(value + away, limit) if sign > 0 else max(value + away, limit))
    return tuple(prices)
