"""Theory of open-source games over any base game.

Programs that read each other can sustain agreements that other players cannot: every feasible and individually rational
pair of payoffs of the base game is paid in some program equilibrium (Tennenholtz 2004, Program equilibrium, theorem 1;
comparing sources suffices).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract import short_repr
from econzoo.envs.families import shares


def equilibrium_payoffs(params: Any) -> tuple[float, float]:
    """NaN for each seat, since program equilibria are not unique in payoffs."""
    if not hasattr(params, "policies"):
        raise ValueError(f"params={short_repr(params)}: expected the setting of an open-source game")
    return math.nan, math.nan


def share_of_equilibrium(params: Any, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """None for each seat (`equilibrium_payoffs`)."""
    return shares(payoffs, equilibrium_payoffs(params), 0.0)
