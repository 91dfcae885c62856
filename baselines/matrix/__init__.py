"""Classic strategies and opponent pools of the iterated prisoner's dilemma.

In other 2x2 games they play the same with that game's C and D.
"""

from __future__ import annotations

from collections.abc import Callable

from econzoo.baselines import Player, read_pools
from econzoo.baselines.matrix import adaptive, grudges, memory_one, probers, tit_for_tats, unconditional
from econzoo.baselines.matrix.generated import Generated
from econzoo.baselines.matrix.planner import Plan

PLAYERS: dict[str, Callable[..., Player]] = {
    **unconditional.FAMILY,
    **tit_for_tats.FAMILY,
    **grudges.FAMILY,
    **memory_one.FAMILY,
    **probers.FAMILY,
    **adaptive.FAMILY,
    **tit_for_tats.FIRST_TOURNAMENT,
    "generated": Generated,
    "plan": Plan,
}
"""Factories by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

CLASSICS: tuple[str, ...] = tuple(
    name for name in PLAYERS if name not in ("memory-one", "reactive", "zero-determinant", "generated", "plan")
)
"""Every strategy with default arguments: the field of a full tournament."""
