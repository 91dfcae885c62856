"""Theory of games of two moves, played once or again and again: what reports and players ask for.

One round is in `econzoo.envs.games.matrix.stage`, many rounds in `econzoo.envs.games.matrix.repeated`, and the exact
payoffs of strategies that remember one round in `econzoo.envs.games.matrix.memory_one`; the sources stand there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract.arguments import market_of
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.faces.prompts import number
from econzoo.envs.families.two_seats import shares
from econzoo.envs.games.matrix.memory_one import memory_one_payoffs
from econzoo.envs.games.matrix.repeated import grim_trigger_discount, subgame_perfect_payoffs, tit_for_tat_discount
from econzoo.envs.games.matrix.rules import Params, View
from econzoo.envs.games.matrix.stage import (
    Equilibrium,
    dominant,
    equilibria,
    equilibrium_value,
    expected_table,
    kalai_smorodinsky_point,
    minmax,
    nash_point,
    payoffs,
    pure_equilibria,
    security,
    slack,
    utilitarian,
)
from econzoo.envs.games.matrix.tables import Table, table_seen

__all__ = [
    "advise",
    "dominant",
    "equilibria",
    "equilibrium_payoffs",
    "expected_table",
    "grim_trigger_discount",
    "kalai_smorodinsky_point",
    "memory_one_payoffs",
    "minmax",
    "nash_point",
    "payoffs",
    "pure_equilibria",
    "reference",
    "security",
    "share_of_equilibrium",
    "subgame_perfect_payoffs",
    "tit_for_tat_discount",
    "utilitarian",
]


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Each seat's points in all rounds in the subgame-perfect equilibrium, where all of these pay the same.

    Returns:
        NaN where they do not, or the number of rounds is hidden (`repeated.subgame_perfect_payoffs`).
    """
    return subgame_perfect_payoffs(params)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the points of both seats in all rounds; noise is counted in.

    Returns:
        ``equilibrium`` (left out where it is NaN), ``security`` (the minmax values), ``utilitarian`` (the largest sum),
        ``nash`` and ``kalai_smorodinsky`` (bargaining over mixtures of the cells, with ``security`` if they disagree).
        All but the first are what a round pays times the rounds of the match (on average, where nature can end it),
        also where the seats are not told how many: benchmarks of full information.
    """
    table = expected_table(market_of(params, Params).table, params.noise)
    points = {
        "security": security(table),
        "utilitarian": utilitarian(table),
        "nash": nash_point(table),
        "kalai_smorodinsky": kalai_smorodinsky_point(table),
    }
    equilibrium = equilibrium_payoffs(params)
    found: dict[str, tuple[float, ...]] = {} if math.isnan(equilibrium[0]) else {"equilibrium": equilibrium}
    rounds = mean_rounds(params)
    return found | {name: (rounds * one, rounds * other) for name, (one, other) in points.items()}


def mean_rounds(params: Params) -> float:
    """Rounds that a match lasts, on average where nature can end it."""
    if params.prob_end == 0.0:
        return params.rounds
    return -math.expm1(params.rounds * math.log1p(-params.prob_end)) / params.prob_end


def share_of_equilibrium(params: Params, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """Each seat's points divided by those of the equilibrium.

    None where that is not known (`equilibrium_payoffs`) or pays nothing; see `shares`.
    """
    return shares(payoffs, equilibrium_payoffs(params), slack(params.table))


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What theory says to the seat of a view, from the view alone; pairs of moves name its own first."""
    if view.over:
        return {"advice": "the match is over"}
    plain = table_seen(view)
    table = expected_table(plain, view.noise)
    out = {
        "move that is better whatever the other does": dominant(table, 0, weakly=True) or "none",
        "equilibria of one round, your move first": "; ".join(map(_told, equilibria(table))),
        "what you can make sure of in a round": f"{_points(minmax(table, 0)[0])} points",
        "even bargain in a round": " and ".join(map(_points, nash_point(table))) + " points for you and the other",
    }
    if view.rounds == UNKNOWN:
        return {**out, "not known to you": "the last round", **_patience(plain, view.prob_end)}
    if view.rounds > 1 and equilibrium_value(table) is not None:
        out["as the last round is known"] = "backward induction repeats the equilibrium of one round in every round"
    return out


def _told(found: Equilibrium) -> str:
    """An equilibrium in words."""
    if {found.row, found.column} <= {0.0, 1.0}:
        return ("C" if found.row else "D") + ("C" if found.column else "D")
    return f"C with a chance of {found.row:.1%} against C with one of {found.column:.1%}"


def _points(value: float) -> str:
    """A number of points without noise of rounding."""
    return number(round(value, 6) + 0.0)


def _patience(table: Table, prob_end: float) -> dict[str, str]:
    """How patient both have to be for cooperation, where threats can hold it up.

    Of who counts points alone, the discount factor is the probability that another round follows (Axelrod 1984).
    """
    here = f"; here another round follows with a probability of {1.0 - prob_end:.3f}" if prob_end else ""
    held = {"grim triggers": grim_trigger_discount(table), "tit for tat": tit_for_tat_discount(table)}
    return {
        f"{name} can hold up CC from a discount factor of": f"{max(bounds):.3f}{here}"
        for name, bounds in held.items()
        if not math.isnan(sum(bounds))
    }
