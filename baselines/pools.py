"""Pools of scripted players by name."""

from __future__ import annotations

from collections.abc import Iterable

from econzoo.envs.core.registry import players_of

__all__ = ["pool"]

POOLS = {"standard": "STANDARD_POOL", "held-out": "HELD_OUT_POOL", "training": "TRAINING_POOL"}
"""Pools of opponents and their names among a game's scripted players."""

ANYBODY = ("random",)
"""The pool of a game that has none of its own."""


def pool(game: str, name: str, otherwise: Iterable[str] = ANYBODY) -> list[str]:
    """Specs of a pool of the game's scripted players.

    Args:
        game: Its name.
        name: For example ``"TRAINING_POOL"``.
        otherwise: What is given if the game has no such pool.
    """
    return list(getattr(players_of(game), name, otherwise))


def standard_pool(game_name: str) -> tuple[str, ...]:
    """The opponents that a game's players are measured against."""
    return tuple(pool(game_name, POOLS["standard"]))
