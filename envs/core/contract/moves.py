"""Moves as the rules represent them, legal moves, distributions of chance moves, and the events of a match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Bounds = tuple[float, float]
"""Lower and upper bound of a field, inclusive."""

new_tuple: Callable[[type[Any], tuple[Any, ...]], Any] = tuple.__new__
"""Fast constructor of a NamedTuple from a tuple of all its fields, for hot paths."""


class Move(NamedTuple):
    """A move as the rules represent it.

    Attributes:
        kind: Index of the kind of move.
        values: Numbers in field order, in the game's own unit, padded with zeros to the schema's `width`.
    """

    kind: int
    values: tuple[float, ...]


class Legal(NamedTuple):
    """Legal moves of a seat.

    Attributes:
        kinds: One flag per kind of move, in the schema's order.
        bounds: Inclusive bounds of each number of all kinds of move, in the order of declaration.
        messages: 0: no messages; 1: free text; k >= 2: one of k symbols (`econzoo.envs.core.contract.symbols`).
        span: Sensible values for grids and random play; None: the bounds.
        max_message: Maximum characters of a message; None: as each kind of move declares.
        grid: Range of the numeric face's grid, from public information only; None: the usual bounds.
        refusal: Function returning why a move within the bounds is illegal, or None; None: all are legal.
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
        """Sensible bounds of each number (`span`, else `bounds`)."""
        return self.bounds if self.span is None else self.span

    @property
    def grid_bounds(self) -> tuple[Bounds, ...]:
        """Bounds of each number on the grid of the numeric face."""
        return self.usual_bounds if self.grid is None else self.grid


# Distributions of chance moves


class Uniform(NamedTuple):
    """Continuous uniform distribution.

    Attributes:
        low: Smallest outcome.
        high: Largest outcome; finite, at least `low`.
    """

    low: float
    high: float


class Normal(NamedTuple):
    """The normal distribution.

    Attributes:
        mean: Mean.
        deviation: Standard deviation, >= 0.
    """

    mean: float
    deviation: float


class ByQuantile(NamedTuple):
    """Distribution given by the rules' `quantile` function."""


CONTINUOUS_DISTRIBUTIONS = (Uniform, Normal, ByQuantile)

Finite = tuple[tuple[float, float], ...]
"""(outcome, probability) of every outcome."""

Distribution = Finite | Uniform | Normal | ByQuantile


# Events


HIDDEN = 0
"""Visibility of a move: nothing."""
SEALED = 1
"""Visibility of a move: only that it was made."""
OPEN = 2
"""Visibility of a move: all."""


class Fact(NamedTuple):
    """Information revealed when moves are played.

    Attributes:
        seat: Seat that it concerns.
        result: A NamedTuple of plain values, the ``Result`` of the rules.
        audience: One flag per seat: whether it observes the fact; None: all do.
    """

    seat: int
    result: Any
    audience: tuple[bool, ...] | None = None


class Ruling(NamedTuple):
    """Result of a round, computed by a referee from its actions.

    Attributes:
        moves: Moves for the rules' `apply` in order, including chance moves (kind `CHANCE`).
        results: Public result (``Result`` of the rules) of each seat: its `Fact`.
    """

    moves: tuple[Move, ...]
    results: tuple[Any, ...]


class Event(NamedTuple):
    """One event of a match.

    Attributes:
        seat: Seat that acted or that it concerns.
        round: Round, counted from 1.
        action: Typed action with the message as received; `SEALED` if hidden; None if nobody acted
            but a fact was revealed.
        fact: `Fact.result` revealed about the seat at the same moment, or None.
        moment: Index from 1; moves with the same moment are simultaneous.
    """

    seat: int
    round: int
    action: Any
    fact: Any = None
    moment: int = 0
