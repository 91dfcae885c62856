"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

from econzoo.envs.core.parameters import Described, Real, Several
from econzoo.envs.core.valid import checked
from econzoo.envs.families.offers import horizon
from econzoo.envs.games.bargaining.rules import Params

DISCOUNT_FACTORS = Described(Several(2, Real(0.0, 1.0, above=True)), "two discount factors, above 0 and at most 1")


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    horizon.market(params, Params)
    checked("delta", params.delta, DISCOUNT_FACTORS)
    return params
