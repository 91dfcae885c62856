"""Whose turn it is where two seats take turns to name an amount, and the other answers it.

Seat 0 proposes in odd rounds, seat 1 in even ones. A state has ``round`` (1-based), ``pending`` (an amount waits for
its answer) and ``over``. The functions are part of the rules of such games, so they too know numbers only.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.game import DONE, NO_FEATURE


def proposer(s: Any) -> int:
    """The seat that names the amount of this round."""
    return (s.round + 1) % 2


def to_act(p: Any, s: Any) -> int:
    """The proposer, then the one who answers; DONE at the end."""
    if s.over:
        return DONE
    return 1 - proposer(s) if s.pending else proposer(s)


END_FEATURES = (
    "rounds left n, this one included, as 1 / n: 0 to 1, or -1 if unknown",
    "whether this seat proposes in the last round: 0 or 1, or -1 if unknown",
)


def end_features(v: Any) -> tuple[float, float]:
    """How near the end is, and who proposes there, from what the seat may know.

    Both follow from the round and the last round, but a network that is not given them guesses wrongly at the number of
    rounds that it has not met: who proposes last changes with each.
    """
    if v.horizon <= 0:
        return NO_FEATURE, NO_FEATURE
    return 1.0 / (v.horizon - v.round + 1.0), 1.0 if (v.horizon + 1.0) % 2.0 == v.seat else 0.0
