"""What rules are written with: who acts, numbers that are not known, and tuples that can be changed."""

from __future__ import annotations

import math
from typing import TypeVar

T = TypeVar("T")

CHANCE = -1
DONE = -2
SEVERAL = -3
PASS = -4

UNKNOWN = -math.inf
"""Stands in a `View` for a number that the seat may not know or that does not exist (yet): no amount equals it."""

NO_FEATURE = -1.0
"""Stands among the features for UNKNOWN."""


def draft(values: tuple[T, ...]) -> list[T]:
    """A copy of a tuple that `put` can change; `final` makes a tuple of it again.

    The vector environment compiles the three to changes in place of tuples that never leave the processor, because
    lists are slow there, and lists are fast in Python. Go on with what `put` returns.
    """
    return list(values)


def put(values: list[T], place: int, value: T) -> list[T]:
    """The draft with another value in one place."""
    values[place] = value
    return values


def to_tuple(values: list[T]) -> tuple[T, ...]:
    """The tuple of a draft."""
    return tuple(values)
