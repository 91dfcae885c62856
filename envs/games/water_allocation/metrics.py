"""Metrics of water allocation: gains as the reward counts them, and how evenly lives were spread.

Efficiency is the mean gain of all residents: 1 if everybody lives to the end (in full health, where health counts).
Fairness is Jain's index of the days lived, (sum x)^2 / (n sum x^2): 1 if all lived equally long, 1/n if only one
lived for a day (Jain, Chiu and Hawe 1984); 1 where nobody lived for a day. The paper's own indicators, for which a
whole match or several are needed, are in `econzoo.envs.games.water_allocation.indicators`.
"""

from __future__ import annotations

from econzoo.envs.core.objectives import Outcome
from econzoo.envs.games.water_allocation.rules import Params, State, completed, gains
from econzoo.envs.survival.health import days_lived, jain

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position, normally the last one.

    Args:
        p: The town.
        s: The position.
        definition: ``"paper"``.

    Raises:
        ValueError: Unknown definition.
    """
    if definition not in DEFINITIONS:
        raise ValueError(f"definition={definition!r} is not allowed; allowed: {', '.join(DEFINITIONS)}")
    shares = gains(p, s)
    lived = [days_lived(died, completed(s)) for died in s.died]
    return Outcome(shares, sum(shares) / len(shares), jain(lived), s.over and max(s.died) == 0)
