"""What the functions of a game's theory take; everything else is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from econzoo.envs.core.parameters import real, several, whole
from econzoo.envs.core.values import short

T = TypeVar("T")

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


def market_of(params: Any, kind: type) -> Any:
    """The same market, if it is one of this game.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(params, kind):
        raise ValueError(f"params={short(params)}: must be a market ({kind.__module__}.{kind.__name__})")
    return params


def seat_of(value: Any) -> int:
    """The seat of a game for two, if it is one."""
    return checked("seat", value, partial(whole, low=0, high=1), "0 or 1")


def pair(name: str, value: Any, check: Callable[[Any], float], must: str) -> tuple[float, float]:
    """Two numbers, one a seat."""
    first, second = checked(name, value, partial(several, length=2, check=check), must)
    return first, second


def weights_of(value: Any) -> tuple[float, float]:
    """Bargaining power of two seats as shares that sum to 1; equal for None.

    Raises:
        ValueError: A weight is negative or not finite, or both are 0.
    """
    must = "two finite numbers, at least 0 and not both 0"
    first, second = pair("weights", (1.0, 1.0) if value is None else value, weight, must)
    if first == second == 0.0:
        raise ValueError(f"weights={short(value)}: must be {must}")
    largest = max(first, second)  # divided by first, so that the sum cannot overflow
    share = first / largest / (first / largest + second / largest)
    return share, 1.0 - share
