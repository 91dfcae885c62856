"""Theory of many rounds: what can be said for a known last round, and how patient cooperation needs the players to be.

Sources:
    Selten, R. (1978). The chain store paradox. Theory and Decision 9, 127-159. (Backward induction.)
    Benoit, J.-P. and Krishna, V. (1985). Finitely repeated games. Econometrica 53(4), 905-922.
    Friedman, J. (1971). A non-cooperative equilibrium for supergames. Review of Economic Studies 38(1), 1-12.
    Axelrod, R. (1984). The Evolution of Cooperation. Basic Books. (Proposition 2: tit for tat.)
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract.arguments import market_of
from econzoo.envs.games.matrix.rules import Params
from econzoo.envs.games.matrix.stage import (
    Point,
    equilibrium_value,
    expected_table,
    pure_equilibria,
    security,
    seen_by,
    slack,
)
from econzoo.envs.games.matrix.tables import Table


def constant_sum(table: Table) -> bool:
    """Whether what one seat gains the other loses: all cells have the same sum."""
    sums = [first + second for first, second in zip(table[:4], table[4:], strict=True)]
    return max(sums) - min(sums) <= 2.0 * slack(table)


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
    table = expected_table(market_of(params, Params).table, params.noise)
    value = security(table) if constant_sum(table) else equilibrium_value(table)
    if not params.known:
        nothing = constant_sum(table) and max(map(abs, security(table))) <= slack(params.table)
        value = (0.0, 0.0) if nothing else None
    return (math.nan, math.nan) if value is None else (params.rounds * value[0], params.rounds * value[1])


def _patience(at_zero: float, at_one: float, least: float) -> float:
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
    first, second = (_grim(seen_by(table, seat), slack(table)) for seat in (0, 1))
    return first, second


def _grim(seen: Table, least: float) -> float:
    reward, temptation, punishment = seen[0], seen[2], seen[3]
    return _patience(reward - temptation, reward - punishment, least)


def tit_for_tat_discount(table: Table) -> tuple[float, float]:
    """Smallest discount factor of each seat with which tit for tat is a best reply to tit for tat, without noise.

    The other's next move is always the own last one, so that only two deviations have to be compared: D for ever, and D
    and C in turns. With S a seat's points for CD, d has to be at least (T - R) / (T - P) and (T - R) / (R - S) (Axelrod
    1984, proposition 2). This is a Nash equilibrium, and in general no subgame-perfect one.

    Returns:
        One number in [0, 1) a seat; NaN where no patience is enough.
    """
    first, second = (_tit_for_tat(seen_by(table, seat), slack(table)) for seat in (0, 1))
    return first, second


def _tit_for_tat(seen: Table, least: float) -> float:
    reward, sucker, temptation, punishment = seen[:4]
    always = _patience(reward - temptation, reward - punishment, least)
    in_turns = _patience(reward - temptation, 2.0 * reward - temptation - sucker, least)
    return math.nan if math.isnan(always) or math.isnan(in_turns) else max(always, in_turns)
