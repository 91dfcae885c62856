"""Scripted strategies as numeric functions, called by players and compiled by the vector environment.

They use the same subset of Python as rules (`econzoo.envs.core.vector.compiling`): numbers, tuples, named tuples built
by position, ``if``, loops, and calls of such functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from econzoo.envs.core.contract.moves import Move

Numbers: TypeAlias = Sequence[float]
"""Arguments of a strategy, as a tuple or a row of an array."""

StrategyMemory: TypeAlias = Any
"""Memory of a strategy: a mutable list, or a row of an array, of fixed length."""

UniformPair: TypeAlias = tuple[float, float]
"""Two uniform random numbers in [0, 1) for each move of a player."""

ZERO_UNIFORMS: UniformPair = (0.0, 0.0)

MoveFunction: TypeAlias = Callable[[Any, Numbers, StrategyMemory, UniformPair], Move]
"""Function from the view, arguments, memory and random numbers to a move."""

NoteFunction: TypeAlias = Callable[[Any, StrategyMemory], None]
"""Function that updates the memory from a view."""


def keep_no_memory(view: Any, past: StrategyMemory) -> None:
    """`note` of a strategy without memory."""


def choose_flagged(flags: tuple[bool, ...], u: float) -> int:
    """Return the index of a uniformly chosen True flag; 0 if there is none.

    Args:
        u: Uniform random number in [0, 1).
    """
    # Loops instead of sum() and a list of places: the function is compiled.
    count = 0
    for flag in flags:
        count += 1 if flag else 0
    rest = math.floor(u * count)
    for place, flag in enumerate(flags):
        if flag:
            if rest == 0:
                return place
            rest -= 1
    return 0


class Script(NamedTuple):
    """A scripted strategy.

    Attributes:
        initial_memory: Memory at the start, or a function of the rules' parameters that returns it.
        note: Memory update, called once ahead of each of its moves.
    """

    move: MoveFunction
    numbers: tuple[float, ...] = ()
    initial_memory: tuple[float, ...] | Callable[[Any], tuple[float, ...]] = ()
    note: NoteFunction = keep_no_memory

    def start(self, params: Any) -> tuple[float, ...]:
        """Return the memory at the start of a match with these parameters."""
        return self.initial_memory(params) if callable(self.initial_memory) else self.initial_memory


def random_move(view: Any, numbers: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Placeholder for random moves, which the vector environment implements for all games."""
    raise TypeError("random moves are not a function of a view")
