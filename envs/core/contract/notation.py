"""Notation for rules: who acts, unknown numbers, mutable drafts of tuples."""

from __future__ import annotations

import math
from typing import TypeVar

T = TypeVar("T")

CHANCE = -1
DONE = -2
SEVERAL = -3
PASS = -4

UNKNOWN = -math.inf
"""Value in a `View` for a number that is hidden from the seat or does not exist (yet)."""

NO_FEATURE = -1.0
"""Feature value for UNKNOWN."""


def draft(values: tuple[T, ...]) -> list[T]:
    """Return a mutable copy of a tuple for `put`; `to_tuple` converts it back.

    The vector environment compiles the three to in-place updates of tuples in registers, because lists are slow
    there. Continue with the return value of `put`.
    """
    return list(values)


def put(values: list[T], place: int, value: T) -> list[T]:
    """Set one value of a draft and return the draft."""
    values[place] = value
    return values


def to_tuple(values: list[T]) -> tuple[T, ...]:
    """Convert a draft to a tuple."""
    return tuple(values)
