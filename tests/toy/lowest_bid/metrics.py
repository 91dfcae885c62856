"""Metrics of last-one-standing: rounds survived, as a share of those that can be."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.lowest_bid.rules import Params, State, payoffs

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares of the rounds survived; bids cost nothing, so nothing is ever lost."""
    gains = tuple(x / (p.players - 1) for x in payoffs(p, s))
    return Outcome(gains, 1.0, 1 - (max(gains) - min(gains)), False)
