"""Scripted readers of programs, by name."""

from __future__ import annotations

from econzoo.baselines.code_reading.readers import Constant, FirstMove, Reader, Simulate, Static
from econzoo.baselines.pools import read_pools

PLAYERS: dict[str, type[Reader]] = {
    "constant": Constant,
    "first-move": FirstMove,
    "static": Static,
    "simulate": Simulate,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

BASELINES: tuple[str, ...] = ("constant", "first-move", "static", "simulate")
"""Who stands beside every result of the benchmark."""
