"""What the functions of a game's theory take; everything else is refused by name."""

from __future__ import annotations

from typing import Any, TypeVar

from econzoo.envs.core.parameters import Described, Domain, Real, Several, Whole
from econzoo.envs.core.values import short

T = TypeVar("T")

SEAT = Described(Whole(0, 1), "0 or 1")
WEIGHTS = Described(Several(2, Real(0.0)), "two finite numbers, at least 0 and not both 0")


def checked(name: str, value: Any, domain: Domain[T]) -> T:
    """The value in plain form.

    Args:
        name: What it is called.
        value: What was given.
        domain: What it must be.

    Raises:
        ValueError: Names the value and what it must be.
    """
    try:
        return domain(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={short(value)}: must be {domain.allowed}") from None


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
    return checked("seat", value, SEAT)


def weights_of(value: Any) -> tuple[float, float]:
    """Bargaining power of two seats as shares that sum to 1; equal for None.

    Raises:
        ValueError: A weight is negative or not finite, or both are 0.
    """
    first, second = checked("weights", (1.0, 1.0) if value is None else value, WEIGHTS)
    if first == second == 0.0:
        raise ValueError(f"weights={short(value)}: must be {WEIGHTS.allowed}")
    largest = max(first, second)  # divided by first, so that the sum cannot overflow
    share = first / largest / (first / largest + second / largest)
    return share, 1.0 - share
