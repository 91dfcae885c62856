"""A move as the rules see it, and what a seat may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Bounds = tuple[float, float]
"""Smallest and largest value of a field, inclusive."""

new_tuple: Callable[[type[Any], tuple[Any, ...]], Any] = tuple.__new__
"""Makes a NamedTuple of a tuple of all its fields in half the time; for what happens at every move."""


class Move(NamedTuple):
    """A move as the rules see it.

    Attributes:
        kind: Index into the game's kinds of move.
        values: Its numbers in the order of their fields, each exact and in the game's own unit, and zeros up to the
            width of the game's moves, which is at least 1.
    """

    kind: int
    values: tuple[float, ...]


class Legal(NamedTuple):
    """What a seat may do now.

    Attributes:
        kinds: One flag per kind of move, in the schema's order.
        bounds: Smallest and largest value of each number of every kind of move, inclusive, in the order of declaration.
        messages: Whether words may be sent; from 2 on, one of so many symbols (`econzoo.envs.core.contract.symbols`).
        span: Values that make sense, for grids and random play; None: all within the bounds.
        max_message: Characters that a message may have; None: as each kind of move says.
        grid: Values over which the numeric face spreads its steps, from public numbers only; None: the usual ones.
        refusal: Why a move within the bounds cannot be played, or None; None in its place: all can.
    """

    kinds: tuple[bool, ...]
    bounds: tuple[Bounds, ...]
    messages: int
    span: tuple[Bounds, ...] | None = None
    max_message: int | None = None
    refusal: Callable[[Move], str | None] | None = None
    grid: tuple[Bounds, ...] | None = None

    @property
    def usual_bounds(self) -> tuple[Bounds, ...]:
        """Smallest and largest value of each number that makes sense."""
        return self.bounds if self.span is None else self.span

    @property
    def grid_bounds(self) -> tuple[Bounds, ...]:
        """Smallest and largest value of each number on the grid of the numeric face."""
        return self.usual_bounds if self.grid is None else self.grid
