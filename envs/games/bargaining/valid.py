"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import alternating
from econzoo.envs.core.parameters import real
from econzoo.envs.core.valid import pair
from econzoo.envs.games.bargaining.rules import Params

DISCOUNT_FACTORS = "two discount factors, above 0 and at most 1"

discount_factor = partial(real, low=0.0, high=1.0, above=True)


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    alternating.market(params, Params)
    pair("delta", params.delta, discount_factor, DISCOUNT_FACTORS)
    return params
