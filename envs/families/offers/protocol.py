"""Turn order of alternating offers: seat 0 proposes in odd rounds, seat 1 in even ones, and the other answers.

A state has ``round`` (1-based), ``pending`` (an amount awaits its answer) and ``over``. The functions are part of
compiled rules, so they use numbers only.
"""

from __future__ import annotations

from typing import Any, Literal

from econzoo.envs.core.contract import DONE, NO_FEATURE, Move

PlayedMove = tuple[int, int, Move]
"""Seat, round (1-based) and move."""
History = tuple[PlayedMove, ...]
"""All moves so far, in order."""
Memory = Literal["round", "history"]
"""What a strategy depends on: the round and the open offer, or all moves so far."""


def proposer(s: Any) -> int:
    """The seat that proposes in this round."""
    return (s.round + 1) % 2


def to_act(p: Any, s: Any) -> int:
    """The proposer, then the responder; DONE at the end."""
    if s.over:
        return DONE
    return 1 - proposer(s) if s.pending else proposer(s)


END_FEATURES = (
    "rounds left n, this one included, as 1 / n: 0 to 1, or -1 if unknown",
    "whether this seat proposes in the last round: 0 or 1, or -1 if unknown",
)


def end_features(v: Any) -> tuple[float, float]:
    """Features of the distance to the end and of the last proposer, from a view.

    Both follow from round and horizon, but networks without them generalise badly to other horizons, whose parity
    decides who proposes last.
    """
    if v.horizon <= 0:
        return NO_FEATURE, NO_FEATURE
    return 1.0 / (v.horizon - v.round + 1.0), 1.0 if (v.horizon + 1.0) % 2.0 == v.seat else 0.0
