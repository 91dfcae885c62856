"""Theory of repeated 2x2 games, for reports and players.

The stage game is in `econzoo.envs.games.matrix.stage`, and exact payoffs of memory-one strategies in
`econzoo.envs.games.matrix.memory_one`, with their sources. This module has subgame-perfect payoffs with a known last
round, and the discount factors that sustain cooperation.

Sources:
    Selten, R. (1978). The chain store paradox. Theory and Decision 9, 127-159. (Backward induction.)
    Benoit, J.-P. and Krishna, V. (1985). Finitely repeated games. Econometrica 53(4), 905-922.
    Friedman, J. (1971). A non-cooperative equilibrium for supergames. Review of Economic Studies 38(1), 1-12.
    Axelrod, R. (1984). The Evolution of Cooperation. Basic Books. (Proposition 2: tit for tat.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract import UNKNOWN, check_setting
from econzoo.envs.core.faces import format_number
from econzoo.envs.families import shares
from econzoo.envs.games.matrix.memory_one import memory_one_payoffs
from econzoo.envs.games.matrix.rules import Params, View
from econzoo.envs.games.matrix.stage import Equilibrium, Point, dominant_move, equilibria, equilibrium_value
from econzoo.envs.games.matrix.stage import expected_table, kalai_smorodinsky_point, minmax, nash_point, payoffs
from econzoo.envs.games.matrix.stage import pure_equilibria, rounding_tolerance, security, table_for_seat
from econzoo.envs.games.matrix.stage import utilitarian_point
from econzoo.envs.games.matrix.tables import Table, own_first_table

__all__ = [
    "advise",
    "dominant_move",
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
    "utilitarian_point",
]


# For reports, under the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Points of each seat in subgame-perfect equilibrium; NaN if not unique (`subgame_perfect_payoffs`)."""
    return subgame_perfect_payoffs(params)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, with the points of both seats over all rounds, including noise.

    Returns:
        ``equilibrium`` (unless NaN), ``security`` (minmax values), ``utilitarian`` (the largest sum), ``nash`` and
        ``kalai_smorodinsky`` (bargaining over mixtures of cells, with disagreement point ``security``). All but the
        first are stage payoffs times the (expected) number of rounds, even if hidden: full-information benchmarks.
    """
    table = expected_table(check_setting(params, Params).table, params.noise)
    points = {
        "security": security(table),
        "utilitarian": utilitarian_point(table),
        "nash": nash_point(table),
        "kalai_smorodinsky": kalai_smorodinsky_point(table),
    }
    equilibrium = equilibrium_payoffs(params)
    known: dict[str, tuple[float, ...]] = {} if math.isnan(equilibrium[0]) else {"equilibrium": equilibrium}
    rounds = mean_rounds(params)
    return known | {name: (rounds * one, rounds * other) for name, (one, other) in points.items()}


def mean_rounds(params: Params) -> float:
    """Expected number of rounds of a match."""
    if params.prob_end == 0.0:
        return params.rounds
    # (1 - (1 - q)^n) / q, without cancellation for small q.
    return -math.expm1(params.rounds * math.log1p(-params.prob_end)) / params.prob_end


def share_of_equilibrium(params: Params, payoffs: Sequence[float]) -> tuple[float | None, ...]:
    """Points of each seat divided by those in equilibrium; None if that is NaN or 0 (see `shares`)."""
    return shares(payoffs, equilibrium_payoffs(params), rounding_tolerance(params.table))


# Advice to seats, from views only


def advise(view: View) -> dict[str, str]:
    """Theoretical advice to the seat of a view, from the view alone; pairs of moves name its own first."""
    if view.over:
        return {"advice": "the match is over"}
    plain = own_first_table(view)
    table = expected_table(plain, view.noise)
    out = {
        "move that is better whatever the other does": dominant_move(table, 0, weakly=True) or "none",
        "equilibria of one round, your move first": "; ".join(map(_describe_equilibrium, equilibria(table))),
        "what you can make sure of in a round": f"{_format_points(minmax(table, 0)[0])} points",
        "even bargain in a round": " and ".join(map(_format_points, nash_point(table)))
        + " points for you and the other",
    }
    if view.rounds == UNKNOWN:
        return {**out, "not known to you": "the last round", **_describe_patience(plain, view.prob_end)}
    if view.rounds > 1 and equilibrium_value(table) is not None:
        out["as the last round is known"] = "backward induction repeats the equilibrium of one round in every round"
    return out


def _describe_equilibrium(profile: Equilibrium) -> str:
    if {profile.row, profile.column} <= {0.0, 1.0}:
        return ("C" if profile.row else "D") + ("C" if profile.column else "D")
    return f"C with a chance of {profile.row:.1%} against C with one of {profile.column:.1%}"


def _format_points(value: float) -> str:
    """Format points without rounding noise, and without a negative zero."""
    return format_number(round(value, 6) + 0.0)


def _describe_patience(table: Table, prob_end: float) -> dict[str, str]:
    """Describe the discount factors that sustain cooperation by threats.

    For players who maximise points, the discount factor is the continuation probability (Axelrod 1984).
    """
    here = f"; here another round follows with a probability of {1.0 - prob_end:.3f}" if prob_end else ""
    discounts = {"grim triggers": grim_trigger_discount(table), "tit for tat": tit_for_tat_discount(table)}
    return {
        f"{name} can hold up CC from a discount factor of": f"{max(bounds):.3f}{here}"
        for name, bounds in discounts.items()
        if not math.isnan(sum(bounds))
    }


# Many rounds


def is_constant_sum(table: Table) -> bool:
    """Whether all cells have the same sum of payoffs."""
    sums = [first + second for first, second in zip(table[:4], table[4:], strict=True)]
    # A sum has two payoffs, each within the tolerance.
    return max(sums) - min(sums) <= 2.0 * rounding_tolerance(table)


def subgame_perfect_payoffs(params: Params) -> Point:
    """Unique payoffs of subgame-perfect equilibria over all rounds, including noise.

    If all equilibria of the stage game have the same payoffs and the end is known, backward induction repeats them in
    every round (otherwise much else can be an equilibrium, Benoit and Krishna 1985). In constant-sum games each seat
    gets the value of the stage game in every round.

    Returns:
        NaN for both if payoffs differ between equilibria, or if the end is unknown: then nearly everything between
        minmax values and mutual cooperation can be an equilibrium (Friedman 1971). In constant-sum games only the
        number of rounds is unknown then, so a value of 0 gives 0.
    """
    table = expected_table(check_setting(params, Params).table, params.noise)
    value = security(table) if is_constant_sum(table) else equilibrium_value(table)
    if not params.known:
        # The tolerance is that of the payoffs themselves: with noise, those of `table` can all be nearly 0.
        is_zero = is_constant_sum(table) and max(map(abs, security(table))) <= rounding_tolerance(params.table)
        value = (0.0, 0.0) if is_zero else None
    return (math.nan, math.nan) if value is None else (params.rounds * value[0], params.rounds * value[1])


def _least_discount(at_zero: float, at_one: float, least: float) -> float:
    """Smallest discount factor above which a linear reward is nonnegative; NaN if there is none.

    Args:
        at_zero: Reward at a discount factor of 0.
        at_one: Reward in the limit of a discount factor of 1.
    """
    if at_zero >= -least:
        return 0.0 if at_one >= -least else math.nan
    return at_zero / (at_zero - at_one) if at_one > least else math.nan


def grim_trigger_discount(table: Table) -> tuple[float, float]:
    """Smallest discount factor of each seat for which grim trigger sustains mutual cooperation, without noise.

    Both play C until someone plays D, and D forever after. With R, T and P a seat's payoffs for CC, DC and DD, its own
    move first, cooperation pays if R >= (1 - d) T + d P, that is d >= (T - R) / (T - P) (Friedman 1971).

    Returns:
        One number in [0, 1) per seat; NaN if no discount factor suffices, or DD is not an equilibrium of the stage
        game, so that the threat is not credible.
    """
    if "DD" not in pure_equilibria(table):
        return math.nan, math.nan
    first, second = (_grim_trigger_bound(table_for_seat(table, seat), rounding_tolerance(table)) for seat in (0, 1))
    return first, second


def _grim_trigger_bound(table: Table, least: float) -> float:
    reward, temptation, punishment = table[0], table[2], table[3]
    return _least_discount(reward - temptation, reward - punishment, least)


def tit_for_tat_discount(table: Table) -> tuple[float, float]:
    """Smallest discount factor of each seat for which tit for tat is a best response to tit for tat, without noise.

    The other's next move is always the own last one, so only two deviations matter: D forever, and alternating D and C.
    With S a seat's payoff for CD, d must be at least (T - R) / (T - P) and (T - R) / (R - S) (Axelrod 1984, proposition
    2). This is a Nash equilibrium, in general not subgame perfect.

    Returns:
        One number in [0, 1) per seat; NaN if no discount factor suffices.
    """
    first, second = (_tit_for_tat_bound(table_for_seat(table, seat), rounding_tolerance(table)) for seat in (0, 1))
    return first, second


def _tit_for_tat_bound(table: Table, least: float) -> float:
    reward, sucker, temptation, punishment = table[:4]
    always = _least_discount(reward - temptation, reward - punishment, least)
    alternating = _least_discount(reward - temptation, 2.0 * reward - temptation - sucker, least)
    return math.nan if math.isnan(always) or math.isnan(alternating) else max(always, alternating)
