"""Metrics of call-the-coin: shares of the calls."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.coin.rules import Params, State, payoffs

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares of the rounds."""
    gains = tuple(x / p.rounds for x in payoffs(p, s))
    return Outcome(gains, sum(gains), 1 - abs(gains[0] - gains[1]), False)
