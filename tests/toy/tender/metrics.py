"""Metrics of the tender: shares of the most that the thing can be worth."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.tender.rules import Params, State, winner
from toy.tender.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The thing is to go to the one with the highest value; what the seller gets is not lost."""
    gains, best = gains_of(p, s), winner(p, s) if s.over else -1
    efficiency = s.values[best] / max(*s.values, 1e-12) if best >= 0 else 0.0
    return Outcome(gains, efficiency, 1 - (max(gains) - min(gains)), best >= 0)
