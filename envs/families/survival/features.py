"""What is observed of every seat of a game, by name."""

from __future__ import annotations


def of_each(seats: int, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Names of what is observed of every seat: of the own one, then of the others in the order of seats."""
    others = [f"other {i}'s {text}" for i in range(1, seats) for text in texts]
    return (*[f"own {text}" for text in texts], *others)
