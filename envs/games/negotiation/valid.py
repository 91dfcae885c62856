"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

from econzoo.envs.core.parameters import Real, Several
from econzoo.envs.core.valid import checked
from econzoo.envs.families.offers import horizon
from econzoo.envs.games.negotiation.rules import Params

VALUES = Several(2, Real(0.0))


def market(params: Params) -> Params:
    """The same market, if it is one.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    horizon.market(params, Params)
    checked("value", params.value, VALUES)
    return params
