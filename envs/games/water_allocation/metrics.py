"""Metrics of water allocation, those of all games of survival: see `econzoo.envs.families.survival.metrics`.

The paper's own indicators, for which a whole match or several are needed, are in
`econzoo.envs.games.water_allocation.indicators`.
"""

from __future__ import annotations

from econzoo.envs.families.survival.metrics import DEFINITIONS, outcome

__all__ = ["DEFINITIONS", "outcome"]
