"""Metrics of the open-source game of two moves: as in the base game, over the turns of all meta-rounds.

Self-gain is the mean number of points a turn, scaled so that the seat's smallest number in the table is 0 and its
largest 1. Efficiency is the same of the points of both seats together, from the smallest to the largest sum of a cell.
Turns that a program forfeited count what they paid (`econzoo.envs.games.program_matrix.rules.turn_payoff`), so
efficiency can be below 0 where both forfeited. Fairness is 1 - (g_0 - g_1)^2. The match is agreed if both cooperated in
every turn of the last meta-round, as the moves came out. Meta-rounds that were not played count 0.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.families.open_source import finished_rounds
from econzoo.envs.games.matrix.metrics import ranges_of
from econzoo.envs.games.program_matrix.rules import Params, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: Any, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    first, second = gains(p, s)
    return Outcome((first, second), efficiency(p, s), 1.0 - (first - second) ** 2, s.over and s.cooperation == (1, 1))


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: those of the base game, but a turn that both forfeit has both smallest payoffs."""
    sums = [p.table[cell] + p.table[4 + cell] for cell in range(4)]
    low, width = min(sums), max(sums) - min(sums)
    least = (min(p.table[:4]) + min(p.table[4:]) - low) / width if width else 0.0
    return ranges_of(p.table, p.turns * p.rounds, (least, 1.0))


def efficiency(p: Params, s: Any) -> float:
    """Mean sum of points per turn, scaled from the smallest to the largest sum of a cell."""
    sums = [p.table[cell] + p.table[4 + cell] for cell in range(4)]
    low, width = min(sums), max(sums) - min(sums)
    if width == 0.0:
        return finished_rounds(s) / p.rounds
    return (sum(s.score) - low * p.turns * finished_rounds(s)) / (width * p.turns * p.rounds)
