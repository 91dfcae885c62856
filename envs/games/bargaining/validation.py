"""Validation of the arguments of `solution` and `best_response`."""

from __future__ import annotations

from functools import partial

from econzoo.envs.core.contract import CustomDomain, Real, TupleOf
from econzoo.envs.families.offers import horizon
from econzoo.envs.games.bargaining.rules import Params

DISCOUNT_FACTORS = CustomDomain(
    TupleOf(2, Real(0.0, 1.0, is_low_excluded=True)), "two discount factors, above 0 and at most 1"
)

validate_setting = partial(horizon.validate_setting, Params, {"delta": DISCOUNT_FACTORS})
"""``validate_setting(params)``; see `econzoo.envs.families.offers.horizon.validate_setting`."""
