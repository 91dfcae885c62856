"""Metrics of multi-issue bargaining: self-gains, utilitarian efficiency and fairness.

With p the share of seat 0 in the sum of both self-gains, fairness is 1 - 4 (p - 1/2)^2, as in bargaining.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.multi_issue.rules import Params, State, gains, payoffs, total_value
from econzoo.envs.games.multi_issue.solution import frontier, utilitarian_point

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position; without agreement gains and efficiency are 0, and fairness is 1."""
    own = gains(p, s)
    part = own[0] / sum(own) if sum(own) else 0.5
    return Outcome(own, sum(payoffs(p, s)) / sum(utilitarian_point(p)), 1 - 4 * (part - 0.5) ** 2, s.agreed)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: each seat can get all items."""
    first, second = ((0.0, total_value(values, p.items)) for values in p.values)
    return Ranges((first, second), ((0.0, 1.0),) * 2)


def pareto_efficient(p: Params, s: State) -> bool:
    return s.agreed and payoffs(p._replace(delta=1.0), s) in frontier(p)  # which is not discounted
