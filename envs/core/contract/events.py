"""Events of a match and their visibility."""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.envs.core.contract.moves import Move

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
