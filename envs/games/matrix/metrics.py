"""Metrics of games of two moves: how much of what a round can pay was had, and how evenly.

Self-gain is the mean number of points a round, scaled so that the seat's smallest number in the table is 0 and its
largest 1 (`econzoo.envs.games.matrix.rules.gains`). Efficiency is the same of the points of both seats together: 0 if
every round came out in the cell with the smallest sum, 1 if in one with the largest. Where all sums are the same
(matching pennies), nothing can be lost, and every round that is played counts 1. Fairness is 1 - (g_0 - g_1)^2 for the
self-gains g: 1 if both gained alike, 0 if one gained all that it could and the other nothing. The match is agreed if
both cooperated in every round, as the moves came out. Rounds that were not played count 0; where nature ends the match,
those that were played are all.
"""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.matrix.rules import Params, State, counted_rounds, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The match.
        s: The position.
        definition: ``"paper"``.
    """
    first, second = gains(p, s)
    return Outcome((first, second), efficiency(p, s), 1.0 - (first - second) ** 2, s.cc == counted_rounds(p, s))


def efficiency(p: Params, s: State) -> float:
    """Mean sum of points a round on the scale from the smallest to the largest sum of a cell, in [0, 1]."""
    sums, times = [p.table[cell] + p.table[4 + cell] for cell in range(4)], (s.cc, s.cd, s.dc, s.dd)
    low, width = min(sums), max(sums) - min(sums)
    parts = [(one - low) / width if width else 1.0 for one in sums]
    return sum([count * part for count, part in zip(times, parts, strict=True)]) / counted_rounds(p, s)
