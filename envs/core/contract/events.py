"""What happened in a match, and who may see it."""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.envs.core.contract.moves import Move

HIDDEN = 0
"""A seat sees nothing of another's move."""
SEALED = 1
"""A seat sees that another's move was made."""
OPEN = 2
"""A seat sees all of another's move."""


class Fact(NamedTuple):
    """What came to light when moves were played.

    Attributes:
        seat: The seat that it is about.
        result: A NamedTuple of plain values, the ``Result`` of the rules.
        audience: For each seat whether it learns it; None: all do.
    """

    seat: int
    result: Any
    audience: tuple[bool, ...] | None = None


class Ruling(NamedTuple):
    """What a referee found that the actions of a round lead to.

    Attributes:
        moves: For the rules' `apply`: what was played, nature's moves (kind `CHANCE`) among them, in order.
        results: The public result of the round for each seat, a ``Result`` of the rules of plain values: its `Fact`.
    """

    moves: tuple[Move, ...]
    results: tuple[Any, ...]


class Event(NamedTuple):
    """One thing that happened, in the order it happened.

    Attributes:
        seat: Who acted, or whom it is about.
        round: Round of the game, 1-based.
        action: The typed action, with the message as the others received it; `SEALED` where it may not be seen; None
            where nobody acted, but something came to light.
        fact: What came to light about the seat at the same moment (`Fact.result`), or None.
        moment: Counts what was played one after the other, from 1: two moves of one moment did not know of each other.
    """

    seat: int
    round: int
    action: Any
    fact: Any = None
    moment: int = 0
