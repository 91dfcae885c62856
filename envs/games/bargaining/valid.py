"""What the functions of `solution` and `best_response` take; everything else is refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from econzoo.envs.core.parameters import real, several, whole
from econzoo.envs.core.values import short
from econzoo.envs.games.bargaining.rules import Params

T = TypeVar("T")

DISCOUNT_FACTORS = "two discount factors, above 0 and at most 1"

discount_factor = partial(real, low=0.0, high=1.0, above=True)
weight = partial(real, low=0.0)


def checked(name: str, value: Any, check: Callable[[Any], T], must: str) -> T:
    """The value in plain form.

    Args:
        name: What it is called.
        value: What was given.
        check: Gives the plain form, or raises `TypeError` or `ValueError`.
        must: Completes "must be ...".

    Raises:
        ValueError: Names the value and what it must be.
    """
    try:
        return check(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={short(value)}: must be {must}") from None


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


def seat_of(value: Any) -> int:
    """The seat, if it is one."""
    return checked("seat", value, partial(whole, low=0, high=1), "0 or 1")


def pair(name: str, value: Any, check: Callable[[Any], float], must: str) -> tuple[float, float]:
    """Two numbers, one a seat."""
    first, second = checked(name, value, partial(several, length=2, check=check), must)
    return first, second
