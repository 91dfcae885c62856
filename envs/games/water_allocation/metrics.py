"""Metrics of water allocation, those of all games of survival: see `econzoo.envs.families.survival.metrics`.

The paper's own indicators, for which a whole match or several are needed, are in
`econzoo.envs.games.water_allocation.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Ranges
from econzoo.envs.families.survival import DEFINITIONS, outcome, ranges_of
from econzoo.envs.games.water_allocation.rules import Params

__all__ = ["DEFINITIONS", "outcome", "ranges"]


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, those of all games of survival."""
    return ranges_of(p, len(p.requirement))
