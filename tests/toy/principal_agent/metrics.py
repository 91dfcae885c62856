"""Metrics of the contract: shares of the value of success."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.principal_agent.rules import Params, State, payoffs

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares, their sum, how even they are, and whether there was a contract."""
    gains = tuple(payoff / p.value for payoff in payoffs(p, s))
    return Outcome(gains, sum(gains), 1 - abs(gains[0] - gains[1]), s.accepted > 0)
