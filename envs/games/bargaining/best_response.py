"""The best that a seat can do in a bargaining game against an opponent whose behaviour is known.

The search is that of `econzoo.envs.families.offers.best_response`; what it calls exact is said there. An agreement is
worth ``delta ** (t - 1)`` times the dollars agreed. In each round that we propose, asks on a grid from nothing to all
the money are tried, and the edge of what the opponent accepts is found to the last bit of ``money``. The search ends
when even all the money in the next round is worth less than the best agreement found.
"""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.families.offers import best_response as search
from econzoo.envs.families.offers.best_response import BestResponse, Haggling, History, Memory, Opponent, Played
from econzoo.envs.games.bargaining import rules, valid
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, Params

__all__ = ["BestResponse", "History", "Memory", "Opponent", "Played", "best_response", "regret"]


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
        memory: ``"round"`` if the opponent looks only at the round and at the offer it has to answer: then one
            line of play is enough and the value is exact. ``"history"`` if its later behaviour may depend on
            asks it rejected: a search. ``"round"`` for an opponent that does remember gives a lower bound, and
            the upper bound is void.
        grid: Number of asks tried per round, evenly spaced from 0 to the money, >= 2.
        width: Lines of play kept at each of the opponent's offers, >= 1, under ``"history"``. If there are more,
            half of those kept are the ones where it offers most and half are spread over the rest.

    Returns:
        The value, its upper bound, and the line of play that reaches it.

    Raises:
        ValueError: An argument is out of range, or the opponent makes a move that is not legal.
    """
    valid.market(params)
    search.check_search(seat, opponent, memory, grid, width)
    asks = (*(params.money * step / (grid - 1) for step in range(grid - 1)), params.money)
    game = Haggling(
        rules, params, seat, asks, math.ulp(params.money), lambda t: _most(params, seat, t), ACCEPT, REJECT, OFFER
    )
    return search.search(game, opponent, memory, width)


regret = partial(search.regret, best_response)
"""``regret(params, seat, opponent, payoff)``, in dollars of round 1; see `search.regret`."""


def _most(params: Params, seat: int, round: int) -> float:
    """Dollars of round 1 that all the money is worth in that round; 0 after the last."""
    return params.delta[seat] ** (round - 1) * params.money if round <= params.horizon else 0.0
