"""Declared parameters of a game: default, what is allowed, and a clear error for everything else."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econzoo.envs.core.values import short

__all__ = ["Parameter", "choice", "flag", "real", "several", "whole"]

Check = Callable[[Any], Any]
"""Returns the value in its plain form, or raises `TypeError`/`ValueError` (its text is not shown)."""


MAX_SEED = 2**128

MAX_ROUNDS = 10_000
"""Rounds that a game may last."""


@dataclass(frozen=True)
class Parameter:
    """One public parameter.

    Attributes:
        name: Keyword of `econzoo.make`.
        default: Value when not given.
        allowed: What is allowed, in words; completes "allowed: ...".
        check: See `Check`.
        doc: One sentence, with the unit.
    """

    name: str
    default: Any
    allowed: str
    check: Check
    doc: str


def real(value: Any, low: float = -math.inf, high: float = math.inf, above: bool = False) -> float:
    """A finite real number in [low, high] ((low, high] if `above`), as a float; booleans are no numbers."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError
    number = float(value)
    if not math.isfinite(number) or not low <= number <= high or (above and number == low):
        raise ValueError
    return number


def whole(value: Any, low: float, high: float) -> int:
    """An integer in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError
    number = int(value)
    if not low <= number <= high:
        raise ValueError
    return number


def flag(value: Any) -> bool:
    """True or False, also numpy's."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError
    return bool(value)


def choice(value: Any, allowed: Sequence[str]) -> str:
    """One of several words."""
    if not isinstance(value, str):
        raise TypeError
    if value not in allowed:
        raise ValueError
    return value


def several(value: Any, length: int, check: Check) -> tuple[Any, ...]:
    """A sequence of `length` values, each passing `check`, as a tuple."""
    if isinstance(value, str | bytes) or (not isinstance(value, Sequence) and not hasattr(value, "__array__")):
        raise TypeError
    if len(value) != length:
        raise ValueError
    return tuple(check(item) for item in value)


def seed_of(value: Any) -> int | None:
    """The seed of a `reset` as a plain integer, or None.

    Raises:
        ValueError: It is neither; the message names it and what is allowed.
    """
    if value is None or (value.__class__ is int and 0 <= value <= MAX_SEED):
        return value
    try:
        return whole(value, 0, MAX_SEED)
    except (TypeError, ValueError):
        raise ValueError(
            f"seed={short(value)} is not allowed; allowed: a whole number from 0 to 2**128, or None"
        ) from None


def options_of(value: Any, name: str = "options") -> Mapping[str, Any]:
    """The options of a `reset`, or the ones below that name; none if None.

    Raises:
        ValueError: They are no mapping.
    """
    if value is not None and not isinstance(value, Mapping):
        raise ValueError(f"{name}={short(value)} is not allowed; allowed: a mapping from names to values, or None")
    return value or {}


def validated(owner: str, declared: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Fills in defaults and checks every value.

    Args:
        owner: Name of the game, for the message.
        declared: The parameters that exist.
        given: Values by name.

    Returns:
        All parameters by name, in plain form.

    Raises:
        ValueError: Names the parameter, its value and what is allowed.
    """
    known = {p.name: p for p in declared}
    for name in given:
        if name not in known:
            raise ValueError(f"{owner}: unknown parameter {name!r}; allowed: {', '.join(known)}")
    return {name: checked(owner, p, given.get(name, p.default)) for name, p in known.items()}


def checked(owner: str, parameter: Parameter, value: Any) -> Any:
    """One value in plain form, or the `ValueError` that names it."""
    try:
        return parameter.check(value)
    except (TypeError, ValueError, OverflowError):
        told = f"{parameter.name}={short(value)} is not allowed; allowed: {parameter.allowed}"
        raise ValueError(f"{owner}: {told}") from None
