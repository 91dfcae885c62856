"""Validation of the arguments of `solution` and `best_response`."""

from __future__ import annotations

from functools import partial

from econzoo.envs.core.contract import Real, TupleOf
from econzoo.envs.families.offers import horizon
from econzoo.envs.games.negotiation.rules import Params

validate_setting = partial(horizon.validate_setting, Params, {"value": TupleOf(2, Real(0.0))})
"""``validate_setting(params)``; see `econzoo.envs.families.offers.horizon.validate_setting`."""
