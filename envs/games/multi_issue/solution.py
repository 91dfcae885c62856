"""What theory says: the Pareto frontier, bargaining solutions on it, and the subgame-perfect equilibrium.

All of it is exact, by enumeration of the divisions, in points of turn 1, and for seats that know each other's values.
Where they do not, it is a reference, not a prediction; what is best against a known strategy is in `best_response`.

Sources:
    Nash, J. (1950). The bargaining problem. Econometrica 18(2), 155-162.
    Imai, H. (1983). Individual monotonicity and lexicographic maxmin solution. Econometrica 51(2), 389-401. (The
        solution of Kalai and Smorodinsky 1975, also where no division gives both the same share of their best.)
    Rubinstein, A. (1982). Perfect equilibrium in a bargaining model. Econometrica 50(1), 97-109.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

from econzoo.envs.core.contract.game import Move
from econzoo.envs.families.offers.protocol import proposer
from econzoo.envs.games.multi_issue import rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State, points, rest, worth

Point = tuple[float, float]
"""Points of both seats."""


class Option(NamedTuple):
    """A move and the payoffs of both seats that it leads to in equilibrium."""

    payoffs: Point
    move: Move


@lru_cache(maxsize=64)
def divisions(items: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    """Every way to give one seat some of the items; the other gets the rest."""
    return tuple(product(*[[float(number) for number in range(count + 1)] for count in items]))


@lru_cache(maxsize=1024)
def _possible(p: Params) -> dict[Point, tuple[float, ...]]:
    """Every pair of points that can be had, with the first division that gives it."""
    return {points(p, first): first for first in reversed(divisions(p.items))}


@lru_cache(maxsize=1024)
def frontier(p: Params) -> tuple[Point, ...]:
    """The Pareto-efficient pairs of points, from the best of seat 0 to the best of seat 1."""
    found: list[Point] = []
    for point in sorted(_possible(p), reverse=True):
        if not found or point[1] > found[-1][1]:
            found.append(point)
    return tuple(found)


def utilitarian_point(p: Params) -> Point:
    """The largest sum of points; of several the most even one."""
    return max(frontier(p), key=lambda u: (u[0] + u[1], min(u)))


def nash_point(p: Params) -> Point:
    """The largest product of points, since without agreement there are none (Nash 1950); of several the most even."""
    return max(frontier(p), key=lambda u: (u[0] * u[1], min(u)))


def kalai_smorodinsky_point(p: Params) -> Point:
    """The largest smaller share of the own best, then the largest other share (Imai 1983)."""
    best = worth(p.values[0], p.items), worth(p.values[1], p.items)
    return max(frontier(p), key=lambda u: sorted((u[0] / best[0], u[1] / best[1])))


def egalitarian_point(p: Params) -> Point:
    """The largest smaller number of points, then the largest other one."""
    return max(frontier(p), key=sorted)


def equilibrium_payoffs(p: Params) -> Point:
    """Points in the subgame-perfect equilibrium; without discounting the seat that offers last gets its best."""
    return equilibrium(p, rules.initial(p)).payoffs


def reference(p: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the points of both seats."""
    return {
        "equilibrium": equilibrium_payoffs(p),
        "nash": nash_point(p),
        "utilitarian": utilitarian_point(p),
        "kalai_smorodinsky": kalai_smorodinsky_point(p),
        "egalitarian": egalitarian_point(p),
    }


@lru_cache(maxsize=200_000)
def equilibrium(p: Params, s: State) -> Option:
    """The move of the subgame-perfect equilibrium in a position, by backward induction.

    Whoever is indifferent does what is best for the other, and accepts rather than goes on.
    """
    may, none = rules.legal(p, s, proposer(s)), (0.0,) * len(p.items)
    kinds = [kind for kind in (ACCEPT, OFFER, TALK, LEAVE) if may[kind]]
    return _best(p, s, [_best_offer(p, s.round) if kind == OFFER else Move(kind, none) for kind in kinds])


@lru_cache(maxsize=100_000)
def _best_offer(p: Params, turn: int) -> Move:
    """The best offer in a turn; what is on the table does not matter to it."""
    s = rules.initial(p)._replace(round=turn)
    keeps = [first if proposer(s) == 0 else rest(p.items, first) for first in _possible(p).values()]
    return _best(p, s, [Move(OFFER, keep) for keep in keeps]).move


def _best(p: Params, s: State, moves: list[Move]) -> Option:
    """The first of the moves that are best for the seat in turn; differences of rounding are none."""
    seat, found = proposer(s), []
    for move in moves:
        after = rules.apply(p, s, (move,))
        found.append(Option(rules.payoffs(p, after) if after.over else equilibrium(p, after).payoffs, move))
    return max(found, key=lambda option: (round(option.payoffs[seat], 9), round(option.payoffs[1 - seat], 9)))
