"""Metrics of bargaining as in the paper (GLEE, section 3) or, optionally, as in its public code.

With p the share of seat 0 and t the round of agreement: self-gain is the discounted share, efficiency the sum
of both self-gains, fairness 1 - 4 (p - 1/2)^2. The definitions differ only without agreement: in the paper gains
and efficiency are 0 and fairness is 1; the code assumes an accepted offer of 0 for seat 0, so that seat 1 gains
delta_1^(t-1), which is also the efficiency, and fairness is 0.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.bargaining.rules import Params, State, offer_value, payoffs

DEFINITIONS = ("paper", "glee-code")


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    if s.agreed:
        gains = tuple(x / p.money for x in payoffs(p, s))
        share = offer_value(p, s, 0) / p.money
        return Outcome(gains, sum(gains), 1 - 4 * (share - 0.5) ** 2, True)
    if definition == "paper":
        return Outcome((0.0, 0.0), 0.0, 1.0, False)
    left = p.delta[1] ** (s.round - 1)
    return Outcome((0.0, left), left, 0.0, False)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: each seat can get all of the money in round 1."""
    return Ranges(((0.0, p.money),) * 2, ((0.0, 1.0),) * 2)
