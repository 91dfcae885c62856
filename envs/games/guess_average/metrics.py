"""Metrics of the guessing game: gains are rounds won, as parts of all rounds.

Efficiency is the mean gain of all seats: 1 if everybody won every round together, 1/n if each round had one winner.
Fairness is Jain's index of the rounds won. What the K-level paper measures for one player in a whole match (win rate,
adaption index, prediction error) is in `econzoo.envs.games.guess_average.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.objectives import Outcome
from econzoo.envs.games.guess_average.rules import Params, State, gains
from econzoo.envs.survival.health import jain

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The match.
        s: The position.
        definition: ``"paper"``.

    Raises:
        ValueError: Unknown definition.
    """
    if definition not in DEFINITIONS:
        raise ValueError(f"definition={definition!r} is not allowed; allowed: {', '.join(DEFINITIONS)}")
    shares = gains(p, s)
    return Outcome(shares, sum(shares) / len(shares), jain(list(s.wins)), s.over and max(s.out) == 0)
