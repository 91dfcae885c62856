"""Metrics of the trust game: shares of all that there is if everything is sent."""

from __future__ import annotations

from econzoo.envs.contract import Outcome
from econzoo_trust.game.rules import Params, State
from econzoo_trust.game.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Shares, their sum, how even they are, and whether anybody got anything."""
    gains = gains_of(p, s)
    return Outcome(gains, sum(gains), 1 - (max(gains) - min(gains)), sum(gains) > 0)
