"""Scripted strategies as functions of numbers, which the player at a table calls and the vector environment compiles.

They are written in the subset in which rules are written (`econzoo.envs.core.vector.compiling`): numbers, tuples, named
tuples made by position, ``if``, loops, and calls of such functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from econzoo.envs.core.contract.moves import Move

Numbers: TypeAlias = Sequence[float]
"""A strategy's arguments, as a tuple or as a row of an array."""

StrategyMemory: TypeAlias = Any
"""What a strategy remembers of a match: so many numbers, as a list or as a row of an array, in which it may write."""

UniformPair: TypeAlias = tuple[float, float]
"""Two uniform numbers in [0, 1) of a player's own, new at each of its moves."""

ZERO_UNIFORMS: UniformPair = (0.0, 0.0)

MoveFunction: TypeAlias = Callable[[Any, Numbers, StrategyMemory, UniformPair], Move]
"""A move from the seat's view, the strategy's numbers, what it remembers, and its luck."""

NoteFunction: TypeAlias = Callable[[Any, StrategyMemory], None]
"""Writes down what a view shows."""


def keep_no_memory(view: Any, past: StrategyMemory) -> None:
    """The `note` of a strategy that remembers nothing."""


def choose_flagged(flags: tuple[bool, ...], u: float) -> int:
    """One of the places that are flagged, each as likely as any other; 0 if none is.

    Args:
        flags: At least one.
        u: In [0, 1).
    """
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
    """A strategy.

    Attributes:
        move: How it moves.
        numbers: Its arguments.
        initial_memory: What it remembers at the start, or how that follows from the rules' parameters.
        note: What it notes; called once before each of its moves.
    """

    move: MoveFunction
    numbers: tuple[float, ...] = ()
    initial_memory: tuple[float, ...] | Callable[[Any], tuple[float, ...]] = ()
    note: NoteFunction = keep_no_memory

    def start(self, params: Any) -> tuple[float, ...]:
        """What it remembers at the start of a match with these parameters."""
        return self.initial_memory(params) if callable(self.initial_memory) else self.initial_memory


def random_move(view: Any, numbers: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Stands for moves at random, which do not follow from a view; the vector environment has them for all games."""
    raise TypeError("moves at random do not follow from a view")
