"""Metrics of the survival auction, those of all games of survival: see `econzoo.envs.families.survival.metrics`.

What the paper measures for one player in a whole match is in `econzoo.envs.games.survival_auction.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Ranges
from econzoo.envs.families.survival import DEFINITIONS, outcome, ranges_of
from econzoo.envs.games.survival_auction.rules import Params

__all__ = ["DEFINITIONS", "outcome", "ranges"]


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, those of all games of survival."""
    return ranges_of(p, p.players)
