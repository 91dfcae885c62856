"""Metrics of talk and bids: shares of what all things are worth if they are good."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.talk_then_bid.rules import Params, State
from toy.talk_then_bid.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Prices only pass from one to the other."""
    gains = gains_of(p, s)
    return Outcome(gains, sum(gains), 1 - (max(gains) - min(gains)), False)
