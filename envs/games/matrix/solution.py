"""Theory of games of two moves, played once or again and again: what reports and players ask for.

One round is in `econzoo.envs.games.matrix.stage`, and the exact payoffs of strategies that remember one round in
`econzoo.envs.games.matrix.memory_one`; their sources stand there. Many rounds are here: what can be said for a known
last round, and how patient cooperation needs the players to be.

Sources:
    Selten, R. (1978). The chain store paradox. Theory and Decision 9, 127-159. (Backward induction.)
    Benoit, J.-P. and Krishna, V. (1985). Finitely repeated games. Econometrica 53(4), 905-922.
    Friedman, J. (1971). A non-cooperative equilibrium for supergames. Review of Economic Studies 38(1), 1-12.
    Axelrod, R. (1984). The Evolution of Cooperation. Basic Books. (Proposition 2: tit for tat.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from econzoo.envs.core.contract.arguments import check_setting
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.faces.prompts import format_number
from econzoo.envs.families.two_seats import shares
from econzoo.envs.games.matrix.memory_one import memory_one_payoffs
from econzoo.envs.games.matrix.rules import Params, View
from econzoo.envs.games.matrix.stage import (
    Equilibrium,
    Point,
    dominant_move,
    equilibria,
    equilibrium_value,
    expected_table,
    kalai_smorodinsky_point,
    minmax,
    nash_point,
    payoffs,
    pure_equilibria,
    rounding_tolerance,
    security,
    table_for_seat,
    utilitarian_point,
)
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


# For reports: the same names in every game


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Each seat's points in all rounds in the subgame-perfect equilibrium, where all of these pay the same.

    Returns:
        NaN where they do not, or the number of rounds is hidden (`subgame_perfect_payoffs`).
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
    table = expected_table(check_setting(params, Params).table, params.noise)
    points = {
        "security": security(table),
        "utilitarian": utilitarian_point(table),
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
    return shares(payoffs, equilibrium_payoffs(params), rounding_tolerance(params.table))


# For players: what a seat may be told


def advise(view: View) -> dict[str, str]:
    """What theory says to the seat of a view, from the view alone; pairs of moves name its own first."""
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


def _describe_equilibrium(found: Equilibrium) -> str:
    """An equilibrium in words."""
    if {found.row, found.column} <= {0.0, 1.0}:
        return ("C" if found.row else "D") + ("C" if found.column else "D")
    return f"C with a chance of {found.row:.1%} against C with one of {found.column:.1%}"


def _format_points(value: float) -> str:
    """A number of points without noise of rounding."""
    return format_number(round(value, 6) + 0.0)


def _describe_patience(table: Table, prob_end: float) -> dict[str, str]:
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


# Many rounds


def is_constant_sum(table: Table) -> bool:
    """Whether what one seat gains the other loses: all cells have the same sum."""
    sums = [first + second for first, second in zip(table[:4], table[4:], strict=True)]
    return max(sums) - min(sums) <= 2.0 * rounding_tolerance(table)


def subgame_perfect_payoffs(params: Params) -> Point:
    """Points of both seats in all rounds in every subgame-perfect equilibrium, where these all pay the same.

    If all equilibria of one round pay the same, backward induction repeats it in every round that the seats know to
    have an end (Benoit and Krishna 1985 show that otherwise much else can be an equilibrium). Where all cells have the
    same sum, the value of a round is what each seat gets in every round in any case. Noise is counted in.

    Returns:
        NaN for both where equilibria differ, or where the end is not known to the seats: then nearly everything between
        the minmax values and mutual cooperation can be an equilibrium (Friedman 1971), and where it cannot, as all
        cells have the same sum, nobody is told how often its value is paid. Nothing is nothing, however often.
    """
    table = expected_table(check_setting(params, Params).table, params.noise)
    value = security(table) if is_constant_sum(table) else equilibrium_value(table)
    if not params.known:
        nothing = is_constant_sum(table) and max(map(abs, security(table))) <= rounding_tolerance(params.table)
        value = (0.0, 0.0) if nothing else None
    return (math.nan, math.nan) if value is None else (params.rounds * value[0], params.rounds * value[1])


def _least_discount(at_zero: float, at_one: float, least: float) -> float:
    """The smallest discount factor from which on a reward that is linear in it is not negative; NaN if there is none.

    Args:
        at_zero: The reward for a discount factor of 0.
        at_one: The reward for one of 1, which no discount factor reaches.
        least: Rewards from minus this on are not negative.
    """
    if at_zero >= -least:
        return 0.0 if at_one >= -least else math.nan
    return at_zero / (at_zero - at_one) if at_one > least else math.nan


def grim_trigger_discount(table: Table) -> tuple[float, float]:
    """Smallest discount factor of each seat with which grim triggers hold up mutual cooperation, without noise.

    Both play C until somebody plays D, and D ever after. With R, T and P a seat's points for CC, DC and DD, its own
    move first, cooperation pays if R >= (1 - d) T + d P, so from d = (T - R) / (T - P) on (Friedman 1971).

    Returns:
        One number in [0, 1) a seat; NaN where no patience is enough, or DD is no equilibrium of the round, so that the
        threat would not be carried out.
    """
    if "DD" not in pure_equilibria(table):
        return math.nan, math.nan
    first, second = (_grim_trigger_bound(table_for_seat(table, seat), rounding_tolerance(table)) for seat in (0, 1))
    return first, second


def _grim_trigger_bound(seen: Table, least: float) -> float:
    reward, temptation, punishment = seen[0], seen[2], seen[3]
    return _least_discount(reward - temptation, reward - punishment, least)


def tit_for_tat_discount(table: Table) -> tuple[float, float]:
    """Smallest discount factor of each seat with which tit for tat is a best reply to tit for tat, without noise.

    The other's next move is always the own last one, so that only two deviations have to be compared: D for ever, and D
    and C in turns. With S a seat's points for CD, d has to be at least (T - R) / (T - P) and (T - R) / (R - S) (Axelrod
    1984, proposition 2). This is a Nash equilibrium, and in general no subgame-perfect one.

    Returns:
        One number in [0, 1) a seat; NaN where no patience is enough.
    """
    first, second = (_tit_for_tat_bound(table_for_seat(table, seat), rounding_tolerance(table)) for seat in (0, 1))
    return first, second


def _tit_for_tat_bound(seen: Table, least: float) -> float:
    reward, sucker, temptation, punishment = seen[:4]
    always = _least_discount(reward - temptation, reward - punishment, least)
    in_turns = _least_discount(reward - temptation, 2.0 * reward - temptation - sucker, least)
    return math.nan if math.isnan(always) or math.isnan(in_turns) else max(always, in_turns)
