"""Metrics that the games of ALYMPICS have in common: gains as the reward counts them, and how evenly lives were spread.

Efficiency is the mean gain of all: in games of survival 1 if everybody lives to the end (in full health, where health
counts). Fairness is Jain's index of the days lived, (sum x)^2 / (n sum x^2): 1 if all lived equally long, 1/n if only
one lived for a day (Jain, Chiu and Hawe 1984); 1 where nobody lived for a day.
"""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.families.survival.health import Position, Terms, completed, days_lived, gains

DEFINITIONS = ("paper",)


def outcome(p: Terms, s: Position, definition: str = "paper") -> Outcome:
    """The metrics of a position of a game of survival, normally the last one.

    Args:
        p: The match.
        s: The position.
        definition: ``"paper"``.
    """
    lived = [days_lived(died, completed(s)) for died in s.died]
    return outcome_of(gains(p, s), lived, s.over and max(s.died) == 0)


def outcome_of(shares: tuple[float, ...], counts: Sequence[int], together: bool) -> Outcome:
    """Efficiency is the mean gain, fairness Jain's index.

    Args:
        shares: Gain of each seat.
        counts: What should be even, one a seat: days lived, or rounds won.
        together: Whether the game is over and nobody has left it before.
    """
    return Outcome(shares, sum(shares) / len(shares), jain(counts), together)


def jain(values: Sequence[int]) -> float:
    """Jain's index of fairness, (sum x)^2 / (n sum x^2); 1 for all zeros."""
    squares = sum([value * value for value in values])
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0
