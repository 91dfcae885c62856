"""Theory of open-source games, as far as it is the same over every base game.

Programs that read each other can hold up agreements that players who do not read cannot: every pair of payoffs that
some mixture of the base game's gives, and that is no less than what each seat can make sure of, is paid in some
equilibrium between programs (Tennenholtz 2004, Program equilibrium, theorem 1: comparing sources is enough).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.families.two_seats import shares


def equilibrium_payoffs(params: Any) -> tuple[float, float]:
    """NaN for each seat: programs that read each other have many equilibria, which pay differently.

    Raises:
        ValueError: These are no parameters of such a game.
    """
    if not hasattr(params, "policies"):
        raise ValueError(f"params={short_repr(params)}: must be a market of an open-source game")
    return math.nan, math.nan


def share_of_equilibrium(params: Any, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """None for each seat (`equilibrium_payoffs`).

    Raises:
        ValueError: These are not two finite payoffs, or the market is not valid.
    """
    return shares(payoffs, equilibrium_payoffs(params), 0.0)
