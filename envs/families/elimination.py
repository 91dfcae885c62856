"""Shared rules of games with simultaneous amounts and elimination of seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from econzoo.envs.core.contract import UNKNOWN, Fact, Move, draft, put, to_tuple

T = TypeVar("T", int, float)


def fill_like(like: tuple[T, ...], value: T) -> tuple[T, ...]:
    """Return a tuple as long as ``like``, filled with one value."""
    # A copy of `like` has a length that is known when the rules are compiled.
    out = draft(like)
    for place in range(len(like)):
        out = put(out, place, value)
    return to_tuple(out)


def amounts_of(moves: tuple[Move, ...], out: tuple[int, ...]) -> list[float]:
    """Return the amount of each seat, UNKNOWN for eliminated seats.

    Args:
        out: Round in which each seat was eliminated; 0 for active seats.
    """
    return [moves[seat].values[0] if out[seat] == 0 else UNKNOWN for seat in range(len(out))]


def facts_of(out: tuple[int, ...], results: Iterable[Any]) -> tuple[Fact, ...]:
    """Return the public facts of a round: the results of the seats that were active.

    Args:
        out: Round in which each seat was eliminated, before this round; 0 for active seats.
    """
    return tuple([Fact(seat, result) for seat, result in enumerate(results) if out[seat] == 0])


def seat_feature_names(seats: int, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the features of all seats, in the order of `seat_at`."""
    others = [f"other {i}'s {text}" for i in range(1, seats) for text in texts]
    return (*[f"own {text}" for text in texts], *others)


def seat_at(place: int, own: int) -> int:
    """Return the seat at a place (from 0): the own seat first, then the others in order."""
    return own if place == 0 else place - 1 if place <= own else place
