"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import alternating
from econzoo.envs.core.parameters import real
from econzoo.envs.core.valid import pair
from econzoo.envs.games.negotiation.rules import Params

dollars = partial(real, low=0.0)


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    alternating.market(params, Params)
    pair("value", params.value, dollars, "two finite values, at least 0")
    return params
