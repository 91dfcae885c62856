"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

import math
from functools import partial

from econzoo.envs.core.parameters import real, whole
from econzoo.envs.core.valid import checked, pair
from econzoo.envs.core.values import short
from econzoo.envs.games.negotiation.rules import Params

dollars = partial(real, low=0.0)


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    if not isinstance(params, Params):
        raise ValueError(f"params={short(params)}: must be a market (econzoo.envs.games.negotiation.rules.Params)")
    checked("money", params.money, partial(real, low=0.0, above=True), "finite and above 0")
    pair("value", params.value, dollars, "two finite values, at least 0")
    checked("horizon", params.horizon, partial(whole, low=1, high=math.inf), "a whole number, at least 1")
    return params
