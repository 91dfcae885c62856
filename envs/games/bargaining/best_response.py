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
from econzoo.envs.families.offers import pool_response as pools
from econzoo.envs.games.bargaining import rules, validation
from econzoo.envs.games.bargaining.rules import Params


def build_offer_game(params: Params, seat: int, grid: int) -> search.OfferGame:
    """The game as the search sees it."""
    money, delta = validation.validate_setting(params).money, params.delta[seat]
    asks = (*(money * step / (grid - 1) for step in range(grid - 1)), money)

    def most(round: int) -> float:
        """Dollars of round 1 that all the money is worth in that round; 0 after the last."""
        return delta ** (round - 1) * money if round <= params.horizon else 0.0

    return search.OfferGame(rules, params, seat, asks, math.ulp(money), most)


best_response = partial(search.best_response, build_offer_game)
"""``best_response(params, seat, opponent)``, in dollars of round 1; see `search.best_response`."""

regret = partial(search.regret, best_response)
"""``regret(params, seat, opponent, payoff)``, in dollars of round 1; see `search.regret`."""

pool_response = partial(pools.pool_response, build_offer_game)
"""``pool_response(params, seat, opponents, drawing)``, in parts of the money; see `pools.pool_response`."""

acceptance_stakes = partial(pools.acceptance_stakes, build_offer_game)
"""``at_stake(params, seat, opponent, waiting)``, in parts of the money; see `pools.at_stake`."""
