"""Metrics of the survival auction, those of all games of survival: see `econzoo.envs.families.survival.metrics`.

What the paper measures for one player in a whole match is in `econzoo.envs.games.survival_auction.indicators`.
"""

from __future__ import annotations

from econzoo.envs.families.survival.metrics import DEFINITIONS, outcome

__all__ = ["DEFINITIONS", "outcome"]
