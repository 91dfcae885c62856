"""Theory of public goods with punishment.

By backward induction no seat pays for punishment in the last round, since it has no benefit; so contributions affect
only the income of their own round, and likewise in every earlier round. With a marginal per-capita return below 1
nobody contributes, above 1 all contribute everything: the only subgame-perfect equilibrium (Fehr and Gächter 2000). At
exactly 1 players are indifferent, and the equilibrium without contributions is returned.
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract import Real, check_argument, check_setting
from econzoo.envs.games.public_goods.rules import MOST_POINTS, Params, best_payoff, harm


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Income of each seat in the subgame-perfect equilibrium."""
    kept = params.mpcr * params.players if params.mpcr > 1.0 else 1.0
    return (params.rounds * params.endowment * kept,) * check_setting(params, Params).players


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named points: ``equilibrium``, and ``efficient``, where all contribute what is best for the group."""
    return {"equilibrium": equilibrium_payoffs(params), "efficient": (best_payoff(params),) * params.players}


def least_patience(params: Params) -> float:
    """Smallest continuation probability for which grim triggers sustain full contributions (Friedman 1971, RES 38).

    A deviator saves 1 - mpcr per token once and loses players * mpcr - 1 in every later round. At 1 or more there is
    none.
    """
    saved, lost = max(0.0, 1.0 - params.mpcr), (check_setting(params, Params).players - 1) * params.mpcr
    return saved / lost if lost else math.inf


def deterrent_points(params: Params) -> int | None:
    """Smallest number of points that offsets the gain of free riding among full contributors, or None."""
    alone = params.endowment * (1.0 + (check_setting(params, Params).players - 1) * params.mpcr)
    excess, most = params.endowment * (1.0 - params.mpcr), MOST_POINTS * (params.players - 1)
    return next((points for points in range(most + 1) if harm(params.cost, alone, points) >= excess), None)


def worthwhile_rounds(params: Params, slope: float = 1.0) -> int:
    """Number of initial rounds in which full contribution is a best response to conditional cooperators.

    All others contribute `slope`, from 0 to 1, times the mean of the others' contributions in the previous round (not
    rounded), and assign no points. Their reactions return part of a token in later rounds, too little near the end.
    """
    share = check_argument("slope", slope, Real(0.0, 1.0))
    # From the last round backwards: what a token returns to its owner (`brings`), and what the reactions in one more
    # later round add to it (`echo`).
    left, brings, echo = 0, check_setting(params, Params).mpcr, params.mpcr * share
    while brings < 1.0 and left < params.rounds:
        left, brings, echo = left + 1, brings + echo, echo * share * (params.players - 2) / (params.players - 1)
    return params.rounds - left
