"""Metrics of the guessing game: gains are rounds won as fractions of all rounds.

Efficiency is the mean gain of all n seats: 1/n if each round had one winner, and at most (n - 1)/n, because nobody wins
a round in which all choose the same number (`econzoo.envs.games.guess_average.solution.most_wins`). Fairness is Jain's
index of the rounds won. The metrics of the K-level paper for one player in a match (win rate, adaption index,
prediction error) are in `econzoo.envs.games.guess_average.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.families.survival import DEFINITIONS, outcome_of
from econzoo.envs.games.guess_average.rules import Params, State, gains

__all__ = ["DEFINITIONS", "outcome", "ranges"]


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    return outcome_of(gains(p, s), s.wins, s.over and max(s.out) == 0)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics, see `outcome`."""
    n = p.players
    return Ranges(((0.0, float(p.rounds)),) * n, ((0.0, 1.0),) * n, (0.0, (n - 1) / n), (1 / n, 1.0))
