"""Metrics of contributing and punishing: shares of what a seat gains where all do what is best for all."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.punish.rules import Params, State
from toy.punish.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Punishment loses money, so that efficiency may fall below 0."""
    gains = gains_of(p, s)
    return Outcome(gains, sum(gains) / p.players, 1 - (max(gains) - min(gains)), False)
