"""Scripted readers of programs, by name."""

from __future__ import annotations

from econzoo.baselines.code_reading.readers import Constant, FirstMove, Reader, Simulate, Static

PLAYERS: dict[str, type[Reader]] = {
    "constant": Constant,
    "first-move": FirstMove,
    "static": Static,
    "simulate": Simulate,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = ("constant", "first-move", "static", "random")
"""Who stands beside a reader when it is evaluated: those that need no library."""

BASELINES: tuple[str, ...] = ("constant", "first-move", "static", "simulate")
"""Who stands beside every result of the benchmark."""

__all__ = ["BASELINES", "PLAYERS", "STANDARD_POOL"]
