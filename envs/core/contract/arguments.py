"""What the functions of a game's theory take; everything else is refused by name."""

from __future__ import annotations

from typing import Any, TypeVar

from econzoo.envs.core.contract.parameters import Domain
from econzoo.envs.core.contract.validation import short_repr

T = TypeVar("T")


def check_argument(name: str, value: Any, domain: Domain[T]) -> T:
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
        raise ValueError(f"{name}={short_repr(value)}: must be {domain.value_range}") from None


def check_setting(params: Any, kind: type) -> Any:
    """The same market, if it is one of this game.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(params, kind):
        raise ValueError(f"params={short_repr(params)}: must be a market ({kind.__module__}.{kind.__name__})")
    return params
