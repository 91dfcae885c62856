"""Metrics of public goods.

Gains are incomes as fractions of a seat's income at the group optimum; a free rider among contributors exceeds 1.
Efficiency is their mean (``"paper"``), or with ``"surplus"`` the group's income on the scale from the equilibrium (0)
to the optimum (1), NaN if these are equal. Fairness is 1 minus the range of the gains.
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.public_goods.rules import COSTS, LINEAR, MOST_POINTS, NO_POINTS, ROUNDING_SLACK, Params, State
from econzoo.envs.games.public_goods.rules import best_payoff, gains
from econzoo.envs.games.public_goods.solution import equilibrium_payoffs

DEFINITIONS = ("paper", "surplus")


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one; the definition decides on the efficiency."""
    shares = gains(p, s)
    efficiency, nothing = sum(shares) / p.players, equilibrium_payoffs(p)[0] / best_payoff(p)
    if definition == "surplus":
        efficiency = (efficiency - nothing) / (1.0 - nothing) if nothing < 1.0 else math.nan
    full = s.over and s.counts[0] == p.players * p.rounds * p.endowment
    return Outcome(shares, efficiency, 1.0 - (max(shares) - min(shares)), full)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics.

    A round pays most to a free rider among contributors (or to a contributor, if a token returns more than it costs).
    It pays least to whom points cost all income and others take the same once more: no more than was earned, or than
    points cost in a round. Two seats differ most if one earns what the other loses, else by the endowment.
    """
    n, best = p.players, p.endowment * max(1.0, p.mpcr * p.players)
    high = p.endowment * max(1.0 + p.mpcr * (n - 1), p.mpcr * n)
    dearest = 0.0 if p.cost == NO_POINTS else (n - 1) * float(MOST_POINTS if p.cost == LINEAR else COSTS[-1])
    low, least = (-min(most, dearest + ROUNDING_SLACK) if dearest else 0.0 for most in (high, best))
    both = 2.0 * p.endowment * (1.0 + p.mpcr * (n - 2) + max(2.0 * p.mpcr - 1.0, 0.0))
    widest = (min(both, high + dearest) + ROUNDING_SLACK if dearest else p.endowment) / best
    worst, nothing = least / best, equilibrium_payoffs(p)[0] / best_payoff(p)
    if definition == "surplus":
        worst = (worst - nothing) / (1.0 - nothing) if nothing < 1.0 else 0.0
    payoffs, own = (p.rounds * low, p.rounds * high), (low / best, high / best)
    return Ranges((payoffs,) * n, (own,) * n, (worst, 1.0), (1.0 - widest, 1.0))


def measures(p: Params, s: State) -> dict[str, float]:
    """What experiments report, of all rounds up to the end of one; NaN where there is nothing to measure.

    ``contribution`` is the mean part of the endowment, ``points`` those that a seat assigned in a round, ``antisocial``
    their part for who had contributed as much as who assigned them, or more (Herrmann, Thöni and Gächter 2008).
    """
    played = p.players * (s.round if s.over else s.round - 1)
    names, of = ("contribution", "points", "antisocial"), (played * p.endowment, played, s.counts[1])
    return {name: some / every if every else math.nan for name, some, every in zip(names, s.counts, of, strict=True)}
