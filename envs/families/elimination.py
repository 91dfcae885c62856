"""What games have in common in which all name an amount at once, and seats go out: parts of their rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from econzoo.envs.core.contract.game import UNKNOWN, Fact, Move, draft, put, to_tuple

T = TypeVar("T", int, float)


def fill_like(like: tuple[T, ...], value: T) -> tuple[T, ...]:
    """A tuple as long as another, with one value in all places."""
    out = draft(like)
    for place in range(len(like)):
        out = put(out, place, value)
    return to_tuple(out)


def amounts_of(moves: tuple[Move, ...], out: tuple[int, ...]) -> list[float]:
    """The amount that every seat named; UNKNOWN for those that are out.

    Args:
        moves: One for each seat.
        out: When each seat went out; 0 for those that are in.
    """
    return [moves[seat].values[0] if out[seat] == 0 else UNKNOWN for seat in range(len(out))]


def facts_of(out: tuple[int, ...], results: Iterable[Any]) -> tuple[Fact, ...]:
    """What everybody learns of a round: the results of those who were in it.

    Args:
        out: When each seat went out, as the round began; 0 for those that were in.
        results: One for each seat.
    """
    return tuple([Fact(seat, result) for seat, result in enumerate(results) if out[seat] == 0])


def seat_feature_names(seats: int, texts: Sequence[str]) -> tuple[str, ...]:
    """Names of what is observed of every seat, in the order of `seat_at`."""
    others = [f"other {i}'s {text}" for i in range(1, seats) for text in texts]
    return (*[f"own {text}" for text in texts], *others)


def seat_at(place: int, own: int) -> int:
    """The own seat, then the others in their order: which seat comes in which place, from 0."""
    return own if place == 0 else place - 1 if place <= own else place
