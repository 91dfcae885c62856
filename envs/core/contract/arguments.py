"""Argument checks for the functions of solution modules."""

from __future__ import annotations

from typing import Any, TypeVar

from econzoo.envs.core.contract.parameters import Domain
from econzoo.envs.core.contract.validation import short_repr

T = TypeVar("T")


def check_argument(name: str, value: Any, domain: Domain[T]) -> T:
    """Return the value in plain form.

    Args:
        name: Name of the argument.
        value: Value to check.
        domain: Domain of valid values.

    Raises:
        ValueError: The value is invalid.
    """
    try:
        return domain(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"invalid {name}={short_repr(value)}: expected {domain.value_range}") from None


def check_setting(params: Any, kind: type) -> Any:
    """Return `params` if it is a setting of this game.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(params, kind):
        raise ValueError(f"invalid params={short_repr(params)}: expected {kind.__module__}.{kind.__name__}")
    return params
