"""Metrics of public goods.

Gains are incomes as fractions of a seat's income at the group optimum; a free rider among contributors exceeds 1.
Efficiency is their mean (``"paper"``), or with ``"surplus"`` the group's income on the scale from the equilibrium (0)
to the optimum (1), NaN if these are equal. Fairness is 1 minus the range of the gains.
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.public_goods.rules import Params, State, best_payoff, gains
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


def measures(p: Params, s: State) -> dict[str, float]:
    """What experiments report, of all rounds up to the end of one; NaN where there is nothing to measure.

    ``contribution`` is the mean part of the endowment, ``points`` those that a seat assigned in a round, ``antisocial``
    their part for who had contributed as much as who assigned them, or more (Herrmann, Thöni and Gächter 2008).
    """
    played = p.players * (s.round if s.over else s.round - 1)
    names, of = ("contribution", "points", "antisocial"), (played * p.endowment, played, s.counts[1])
    return {name: some / every if every else math.nan for name, some, every in zip(names, s.counts, of, strict=True)}
