"""Whose turn it is where two seats take turns to name an amount, and the other answers it.

Seat 0 proposes in odd rounds, seat 1 in even ones. A state has ``round`` (1-based), ``pending`` (an amount waits for
its answer) and ``over``. The functions are part of the rules of such games, so they too know numbers only.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.game import DONE


def proposer(s: Any) -> int:
    """The seat that names the amount of this round."""
    return (s.round + 1) % 2


def to_act(p: Any, s: Any) -> int:
    """The proposer, then the one who answers; DONE at the end."""
    if s.over:
        return DONE
    return 1 - proposer(s) if s.pending else proposer(s)
