"""Metrics of matching pennies: shares of the rounds won."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.pennies.rules import Params, State

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares of the rounds; what one wins the other loses, so all of it is always had."""
    gains = tuple(wins / p.rounds for wins in s.wins)
    return Outcome(gains, 1.0, 1 - abs(gains[0] - gains[1]), False)
