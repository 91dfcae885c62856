"""Validation of the arguments of `solution`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from econzoo.envs.core.contract import check_setting, validate_parameters
from econzoo.envs.families.offers import HORIZON
from econzoo.envs.games.persuasion import PARAMETERS, ROUNDS
from econzoo.envs.games.persuasion.rules import Params

_CHECKED_PARAMETERS = tuple(
    # In the rules the number of rounds is never None: `rounds_known` tells whether the seats know it.
    replace(parameter, domain=HORIZON) if parameter is ROUNDS else parameter
    for parameter in PARAMETERS
    if parameter.name in Params._fields
)

TOLERANCE = 1e-9
"""Part of the price below which a difference counts as rounding."""


def validate_setting(params: Any) -> Params:
    check_setting(params, Params)
    validate_parameters(
        "persuasion", _CHECKED_PARAMETERS, {p.name: getattr(params, p.name) for p in _CHECKED_PARAMETERS}
    )
    return params
