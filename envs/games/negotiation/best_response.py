"""Best responses in negotiation against known opponents.

The search is that of `econzoo.envs.families.offers.best_response`, which defines when it is exact. There is no
discounting, so the search runs to the last round. Against an opponent with acceptance thresholds, the best response is
the threshold of its most generous round. Prices are tried on a grid from the own value outwards, then at growing steps
up to the limit of `rules`; the acceptance threshold is found to the last bit of the larger of scale and values. Prices
at a loss are not tried.
"""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.core.contract import Bounds
from econzoo.envs.families.offers import best_response as search
from econzoo.envs.families.offers import pool_response as pools
from econzoo.envs.games.negotiation import rules, validation
from econzoo.envs.games.negotiation.rules import SELLER, Params

GRID_GROWTH = 4.0
"""Growth of the distance from the own value between prices tried beyond the grid."""


def build_offer_game(params: Params, seat: int, grid: int) -> search.OfferGame:
    """Build the input of the search; the grid spans twice the larger of scale and values."""
    own, scale = validation.validate_setting(params).value[seat], max(params.money, *params.value)
    (limits,) = rules.bounds(params, rules.initial(params), seat)
    prices = _prices(own, 1.0 if seat == SELLER else -1.0, 2.0 * scale, grid, limits)

    def payoff_bound(round: int) -> float:
        # Prices end at the limit, so no trade pays more; waiting costs nothing.
        return abs(prices[-1] - own) if round <= params.horizon else 0.0

    return search.OfferGame(rules, params, seat, prices, math.ulp(scale), payoff_bound, has_amount_limit=False)


best_response = partial(search.best_response, build_offer_game)
"""``best_response(params, seat, opponent)``, in dollars won over the own value, at least 0, as trade is voluntary; see
`search.best_response`."""

regret = partial(search.regret, best_response)
"""``regret(params, seat, opponent, payoff)``, in dollars; see `search.regret`."""

pool_response = partial(pools.pool_response, build_offer_game)
"""``pool_response(params, seat, opponents)``, as a fraction of the scale; see `pools.pool_response`."""

acceptance_stakes = partial(pools.acceptance_stakes, build_offer_game)
"""``acceptance_stakes(params, seat, opponent, offers)``, as a fraction of the scale; see `pools.acceptance_stakes`."""


def _prices(value: float, sign: float, reach: float, grid: int, limits: Bounds) -> tuple[float, ...]:
    """Prices from the own value outwards: evenly spaced up to `reach`, then at growing steps, up to the limit."""
    limit = limits[1] if sign > 0 else limits[0]
    even = [value + sign * reach * step / (grid - 1) for step in range(grid)]
    # With an own value at or beyond the limit, no price of the grid is legal and without loss but the value.
    prices = [price for price in even if (limit - price) * sign >= 0] or [value]
    while (limit - prices[-1]) * sign > 0:
        # The first step beyond a grid of one price, whose distance is 0, is that of the grid.
        away = (prices[-1] - value) * GRID_GROWTH or even[1] - value
        prices.append(min(value + away, limit) if sign > 0 else max(value + away, limit))
    return tuple(prices)
