"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.core.parameters import real, whole
from econzoo.envs.core.valid import checked, pair
from econzoo.envs.core.values import short
from econzoo.envs.games.bargaining.rules import Params

DISCOUNT_FACTORS = "two discount factors, above 0 and at most 1"

discount_factor = partial(real, low=0.0, high=1.0, above=True)


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    if not isinstance(params, Params):
        raise ValueError(f"params={short(params)}: must be a market (econzoo.envs.games.bargaining.rules.Params)")
    checked("money", params.money, partial(real, low=0.0, above=True), "finite and above 0")
    pair("delta", params.delta, discount_factor, DISCOUNT_FACTORS)
    checked("horizon", params.horizon, partial(whole, low=1, high=math.inf), "a whole number, at least 1")
    return params
