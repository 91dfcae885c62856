"""Pools of scripted players by name, and which of them can take a seat."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from econzoo.baselines.factory import player

__all__ = ["pool"]

ANYBODY = ("random",)
"""The pool of a game that has none of its own."""


def pool(game: str, name: str, otherwise: Iterable[str] = ANYBODY) -> list[str]:
    """Specs of a pool of the game's scripted players.

    Args:
        game: Its name.
        name: For example ``"TRAINING_POOL"``.
        otherwise: What is given if the game has no such pool.
    """
    try:
        module = import_module(f"econzoo.baselines.{game}")
    except ModuleNotFoundError:
        return list(otherwise)
    return list(getattr(module, name, otherwise))


def fitting(game: str, specs: Iterable[str], seat: int) -> list[str]:
    """Those of the specs whose player can take a seat.

    Raises:
        ValueError: A spec is unknown.
    """
    return [spec for spec in specs if player(spec, game).fits(seat)]
