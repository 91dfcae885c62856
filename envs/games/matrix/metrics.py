"""Metrics of 2x2 games.

Self-gain is the mean payoff per round, scaled so that the seat's smallest payoff in the table is 0 and its largest 1
(`econzoo.envs.games.matrix.rules.gains`). Efficiency is the same for the sum of both payoffs: 0 if every round ended in
the cell with the smallest sum, 1 if with the largest. In constant-sum games every round played counts 1. Fairness is
1 - (g_0 - g_1)^2 for the self-gains g: 1 for equal gains, 0 if one seat gained everything and the other nothing. The
match is agreed if both realised moves were C in every round. Unplayed rounds count 0; if nature ends the match, only
played rounds count.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Range, Ranges
from econzoo.envs.games.matrix.rules import Params, State, counted_rounds, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    first, second = gains(p, s)
    return Outcome((first, second), efficiency(p, s), 1.0 - (first - second) ** 2, s.cc == counted_rounds(p, s))


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, see `ranges_of`."""
    return ranges_of(p.table, p.rounds)


def ranges_of(table: tuple[float, ...], turns: int, efficiency: Range = (0.0, 1.0)) -> Ranges:
    """Ranges over up to a number of turns: 0 points before the first; no gains of a seat with constant payoffs."""
    own = table[:4], table[4:]
    first, second = ((turns * min(0.0, *points), turns * max(0.0, *points)) for points in own)
    mine, theirs = ((0.0, float(min(points) < max(points))) for points in own)
    return Ranges((first, second), (mine, theirs), efficiency)


def efficiency(p: Params, s: State) -> float:
    """Mean sum of payoffs per round, scaled from the smallest to the largest sum of a cell, in [0, 1]."""
    sums, times = [p.table[cell] + p.table[4 + cell] for cell in range(4)], (s.cc, s.cd, s.dc, s.dd)
    low, width = min(sums), max(sums) - min(sums)
    shares = [(one - low) / width if width else 1.0 for one in sums]
    return sum([count * share for count, share in zip(times, shares, strict=True)]) / counted_rounds(p, s)
