"""What theory says: the Pareto frontier, bargaining solutions on it, and the subgame-perfect equilibrium.

All of it is exact, by enumeration of the divisions, in points of turn 1, and for seats that know each other's values.
Where they do not (`Params.complete_information` is False) it is a reference, not a prediction; what is best against a
known strategy then is in `best_response`.

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
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, NOBODY, OFFER, TALK, Params, State, held, worth

Point = tuple[float, float]
"""Points of both seats."""


class Option(NamedTuple):
    """A move and what it leads to in equilibrium.

    Attributes:
        payoffs: Of both seats.
        move: The move.
    """

    payoffs: Point
    move: Move


@lru_cache(maxsize=64)
def divisions(items: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    """Every way to give one seat some of the items; the other gets the rest."""
    return tuple(product(*[[float(number) for number in range(count + 1)] for count in items]))


def points(p: Params, first: tuple[float, ...]) -> Point:
    """What a division is worth to both seats, undiscounted; `first` are the items of seat 0."""
    left = tuple(count - own for count, own in zip(p.items, first, strict=True))
    return worth(p.values[0], first), worth(p.values[1], left)


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


def spe_move(p: Params, s: State) -> Move:
    """The move of the subgame-perfect equilibrium: of equally good ones the one that is best for the other."""
    table = None if s.by == NOBODY else points(p, held(p, s, 0))
    return _best(_options(p, s.round, s.by, table), (s.round + 1) % 2).move


def equilibrium_payoffs(p: Params) -> Point:
    """Points in the subgame-perfect equilibrium, found by backward induction.

    Whoever is indifferent does what is best for the other, and accepts rather than goes on. Without discounting the
    seat that makes the last offer gets its best division; the last turn is for the answer.
    """
    return _value(p, 1, NOBODY, None)


def reference(p: Params) -> dict[str, tuple[float, ...]]:
    """Named reference points, each with the points of both seats."""
    return {
        "equilibrium": equilibrium_payoffs(p),
        "nash": nash_point(p),
        "utilitarian": utilitarian_point(p),
        "kalai_smorodinsky": kalai_smorodinsky_point(p),
        "egalitarian": egalitarian_point(p),
    }


def _best(found: list[Option], seat: int) -> Option:
    """The first of the best; differences of rounding are none."""
    return max(found, key=lambda option: (round(option.payoffs[seat], 9), round(option.payoffs[1 - seat], 9)))


def _options(p: Params, turn: int, by: int, table: Point | None) -> list[Option]:
    """What the seat whose turn it is can do; accept first, so that it is what an indifferent seat does."""
    seat, none = (turn + 1) % 2, (0.0,) * len(p.items)
    found = []
    if table is not None and by != seat:
        paid = p.delta ** (turn - 1.0)
        found.append(Option((paid * table[0], paid * table[1]), Move(ACCEPT, none)))
    if turn < p.horizon:
        found += [_best_offer(p, turn), Option(_value(p, turn + 1, by, table), Move(TALK, none))]
    if turn == p.horizon or by == 1 - seat:
        found.append(Option((0.0, 0.0), Move(LEAVE, none)))
    return found


@lru_cache(maxsize=200_000)
def _value(p: Params, turn: int, by: int, table: Point | None) -> Point:
    """Payoffs of both seats from a position on."""
    return _best(_options(p, turn, by, table), (turn + 1) % 2).payoffs


@lru_cache(maxsize=100_000)
def _best_offer(p: Params, turn: int) -> Option:
    """The best offer in a turn; what is on the table does not matter to it."""
    seat = (turn + 1) % 2
    offers = []
    for point, first in _possible(p).items():
        keep = first if seat == 0 else tuple(n - own for n, own in zip(p.items, first, strict=True))
        offers.append(Option(_value(p, turn + 1, seat, point), Move(OFFER, keep)))
    return _best(offers, seat)
