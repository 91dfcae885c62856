"""Metrics of bargaining by the paper (GLEE, section 3) and, as an option, by the paper's public code.

With p the share of seat 0 and t the round of agreement: self-gain is the discounted share, efficiency the sum
of both self-gains, fairness 1 - 4 (p - 1/2)^2. The two definitions differ only where there is no agreement:
the paper gives gains 0, efficiency 0, fairness 1; the code computes with an accepted offer of 0 for seat 0, so
that seat 1 gains delta_1^(t-1), which is also the efficiency, and fairness is 0.
"""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.bargaining.rules import Params, State, offer_value, payoffs

DEFINITIONS = ("paper", "glee-code")


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The market.
        s: The position; one without agreement counts as none.
        definition: ``"paper"`` or ``"glee-code"``.
    """
    if s.agreed:
        gains = tuple(x / p.money for x in payoffs(p, s))
        share = offer_value(p, s, 0) / p.money
        return Outcome(gains, sum(gains), 1 - 4 * (share - 0.5) ** 2, True)
    if definition == "paper":
        return Outcome((0.0, 0.0), 0.0, 1.0, False)
    left = p.delta[1] ** (s.round - 1)
    return Outcome((0.0, left), left, 0.0, False)
