"""Metrics of the division: shares of what all items are worth to each seat."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome
from toy.division.rules import Params, State, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares of the points that a seat could have; all is lost without an agreement."""
    shares = gains(p, s)
    return Outcome(shares, sum(shares) / 2, 1 - abs(shares[0] - shares[1]), s.agreed)
