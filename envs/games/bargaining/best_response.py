"""Best responses in bargaining against known opponents.

The search is that of `econzoo.envs.families.offers.best_response`, which defines when it is exact. An agreement is
worth ``delta ** (t - 1)`` times the dollars agreed. Asks are tried on a grid from 0 to all the money, and the
opponent's acceptance threshold is found to the last bit of ``money``. The search ends when all the money in the next
round is worth less than the best agreement found.
"""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.families.offers import best_response as search
from econzoo.envs.families.offers import pool_response as pools
from econzoo.envs.games.bargaining import rules, validation
from econzoo.envs.games.bargaining.rules import Params


def build_offer_game(params: Params, seat: int, grid: int) -> search.OfferGame:
    money, delta = validation.validate_setting(params).money, params.delta[seat]
    # The last ask is the money itself: money * step / (grid - 1) can round to more than it, which is illegal.
    asks = (*(money * step / (grid - 1) for step in range(grid - 1)), money)

    def payoff_bound(round: int) -> float:
        """Value of all the money in a round, in dollars of round 1; 0 after the last round."""
        return delta ** (round - 1) * money if round <= params.horizon else 0.0

    return search.OfferGame(rules, params, seat, asks, math.ulp(money), payoff_bound)


best_response = partial(search.best_response, build_offer_game)
"""``best_response(params, seat, opponent)``, in dollars of round 1; see `search.best_response`."""

regret = partial(search.regret, best_response)
"""``regret(params, seat, opponent, payoff)``, in dollars of round 1; see `search.regret`."""

pool_response = partial(pools.pool_response, build_offer_game)
"""``pool_response(params, seat, opponents, random_count)``, as a fraction of the money; see `pools.pool_response`."""

acceptance_stakes = partial(pools.acceptance_stakes, build_offer_game)
"""``acceptance_stakes(params, seat, opponent, offers)``, as a fraction of the money; see `pools.acceptance_stakes`."""
