"""Metrics of the orders: shares of the worth of everything for sale."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.budget.rules import Params, State, for_sale
from toy.budget.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Efficient is to sell everything, whoever pays how much for it."""
    gains = gains_of(p, s)
    return Outcome(gains, sum(s.units) / for_sale(p), 1 - (max(gains) - min(gains)), False)
