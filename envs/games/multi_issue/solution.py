"""Theory of multi-issue bargaining: Pareto frontier, bargaining solutions, subgame-perfect equilibrium.

Everything is exact, by enumeration of divisions, in points of turn 1, and for commonly known values. With private
values it is a benchmark, not a prediction; best responses to known strategies are in `best_response`.

Sources:
    Nash, J. (1950). The bargaining problem. Econometrica 18(2), 155-162.
    Imai, H. (1983). Individual monotonicity and lexicographic maxmin solution. Econometrica 51(2), 389-401. (The
        solution of Kalai and Smorodinsky 1975, also where no division gives both the same share of their best.)
    Rubinstein, A. (1982). Perfect equilibrium in a bargaining model. Econometrica 50(1), 97-109.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from econzoo.envs.core.contract import Move, draft, put, to_tuple
from econzoo.envs.families.offers import proposer
from econzoo.envs.games.multi_issue import rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State, division_points
from econzoo.envs.games.multi_issue.rules import remaining_items, total_value

Point: TypeAlias = tuple[float, float]
"""Points of both seats."""

Values: TypeAlias = tuple[int, ...]
"""One number per kind of item."""


class Option(NamedTuple):
    """A move and its equilibrium payoffs of both seats."""

    payoffs: Point
    move: Move


@lru_cache(maxsize=64)
def divisions(items: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    """All divisions, as the items of one seat; the other gets the rest."""
    return tuple(product(*[[float(number) for number in range(count + 1)] for count in items]))


@lru_cache(maxsize=1024)
def _achievable_points(p: Params) -> dict[Point, tuple[float, ...]]:
    """All achievable pairs of points, with the first division that gives each."""
    # Reversed, so that of divisions with the same points the first one stays.
    return {division_points(p, first): first for first in reversed(divisions(p.items))}


@lru_cache(maxsize=1024)
def frontier(p: Params) -> tuple[Point, ...]:
    """Pareto-efficient pairs of points, from the best of seat 0 to the best of seat 1."""
    efficient: list[Point] = []
    for point in sorted(_achievable_points(p), reverse=True):
        if not efficient or point[1] > efficient[-1][1]:
            efficient.append(point)
    return tuple(efficient)


def utilitarian_point(p: Params) -> Point:
    """Point with the largest sum; ties go to the most equal one."""
    return max(frontier(p), key=lambda u: (u[0] + u[1], min(u)))


def nash_point(p: Params) -> Point:
    """Point with the largest product, as disagreement pays 0 (Nash 1950); ties go to the most equal one."""
    return max(frontier(p), key=lambda u: (u[0] * u[1], min(u)))


def kalai_smorodinsky_point(p: Params) -> Point:
    """Lexicographic maxmin of points relative to each seat's maximum (Imai 1983)."""
    best = total_value(p.values[0], p.items), total_value(p.values[1], p.items)
    return max(frontier(p), key=lambda u: sorted((u[0] / best[0], u[1] / best[1])))


def egalitarian_point(p: Params) -> Point:
    """Lexicographic maxmin of points."""
    return max(frontier(p), key=sorted)


def equilibrium_payoffs(p: Params) -> Point:
    """Points in the subgame-perfect equilibrium; without discounting the last proposer gets its maximum."""
    return equilibrium(p, rules.initial(p)).payoffs


def reference(p: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the points of both seats."""
    return {
        "equilibrium": equilibrium_payoffs(p),
        "nash": nash_point(p),
        "utilitarian": utilitarian_point(p),
        "kalai_smorodinsky": kalai_smorodinsky_point(p),
        "egalitarian": egalitarian_point(p),
    }


def equilibrium(p: Params, s: State) -> Option:
    """Subgame-perfect equilibrium move in a position, by backward induction (see `equilibrium_reply`)."""
    kind, place, outcome = equilibrium_reply(
        p.items, *p.values, p.horizon, p.delta, planned_offers(p), s.round, s.first, s.by
    )
    first = division_at(p.items, place, s.first)
    keep = (0.0,) * len(p.items) if kind != OFFER else first if proposer(s) == 0 else remaining_items(p.items, first)
    return Option(outcome, Move(kind, keep))


@lru_cache(maxsize=1024)
def planned_offers(p: Params) -> Sequence[float]:
    """Output of `fill_plan` for a setting; cached."""
    past = [0.0] * plan_size(p)
    fill_plan(p.items, *p.values, p.horizon, p.delta, past)
    return past


def plan_size(p: Params) -> int:
    """Length of the output of `fill_plan`."""
    return 3 * p.horizon


def fill_plan(items: Values, one: Values, other: Values, horizon: int, delta: float, out: Any) -> None:
    """Write the best offer of every turn, which does not depend on the current offer. Compiles.

    Args:
        one: Value of one item of each kind to seat 0.
        other: Value of one item of each kind to seat 1.
        delta: Discount factor per turn.
        out: Output, three numbers per turn: the payoffs of both seats, and 1 plus the index of the division in
            `divisions`; zeros if no offer is legal.
    """
    size = 1
    for count in items:
        size *= count + 1
    worths = [points_at(items, one, other, place) for place in range(size)]
    # Continuation payoffs with each division as the current offer, made by seat 0 (first half) or by seat 1.
    follows = [(0.0, 0.0)] * (2 * size)
    for turn in range(horizon, 1, -1):
        seat, left = (turn + 1) % 2, delta ** (turn - 1.0)
        offered = out[3 * turn - 3], out[3 * turn - 2]
        for at in range(2 * size):
            by, (mine, others) = at // size, worths[at % size]
            _, follows[at] = best_choice(
                seat, by != seat, turn == horizon, (left * mine, left * others), offered, follows[at]
            )
        by, best = 1 - seat, size - 1
        for place in range(size - 2, -1, -1):
            if is_better(follows[by * size + place], follows[by * size + best], by):
                best = place
        found = follows[by * size + best]
        for place in range(best, -1, -1):  # the first division with the same points of both
            best = place if worths[place] == worths[best] else best
        out[3 * turn - 6], out[3 * turn - 5], out[3 * turn - 4] = found[0], found[1], best + 1.0


def points_at(items: Values, one: Values, other: Values, place: int) -> Point:
    """Points of both seats of the division at an index of `divisions`."""
    mine, others = 0.0, 0.0
    for k in range(len(items) - 1, -1, -1):
        kept = place % (items[k] + 1)
        mine += one[k] * kept
        others += other[k] * (items[k] - kept)
        place //= items[k] + 1
    return mine, others


def equilibrium_reply(
    items: Values,
    one: Values,
    other: Values,
    horizon: int,
    delta: float,
    offers: Any,
    turn: int,
    first: tuple[float, ...],
    by: int,
) -> tuple[int, int, Point]:
    """Equilibrium move of a seat in its turn.

    Args:
        offers: Output of `fill_plan`.
        turn: Turn of the seat, 1-based.
        first: Items of seat 0 in the current offer.
        by: The seat that made it.

    Returns:
        The kind of move, the index of the offered division, and the equilibrium payoffs.
    """
    had, kind, found = (total_value(one, first), total_value(other, remaining_items(items, first))), LEAVE, (0.0, 0.0)
    for now in range(horizon, turn - 1, -1):
        seat, left = (now + 1) % 2, delta ** (now - 1.0)
        offered = offers[3 * now - 3], offers[3 * now - 2]
        kind, found = best_choice(seat, by == 1 - seat, now == horizon, (left * had[0], left * had[1]), offered, found)
    return kind, max(int(offers[3 * turn - 1]) - 1, 0), found


def best_choice(
    seat: int, can_accept: bool, is_last: bool, after_accepting: Point, after_offering: Point, after_talking: Point
) -> tuple[int, Point]:
    """Best move of a seat and its payoffs, from those after accepting, the best offer and talking.

    Ties are broken in the other's favour, then towards accepting.
    """
    kind, best = (
        (ACCEPT, after_accepting) if can_accept else (LEAVE, (0.0, 0.0)) if is_last else (OFFER, after_offering)
    )
    if not is_last and can_accept and is_better(after_offering, best, seat):
        kind, best = OFFER, after_offering
    if not is_last and is_better(after_talking, best, seat):
        kind, best = TALK, after_talking
    if can_accept and is_better((0.0, 0.0), best, seat):
        kind, best = LEAVE, (0.0, 0.0)
    return kind, best


def is_better(one: Point, other: Point, seat: int) -> bool:
    """Whether an outcome is better for a seat, or equal and better for the other; to a billionth of a point."""
    # Rounded to a grid: a tolerance would not be transitive.
    value, other_value = math.floor(one[seat] * 1e9 + 0.5), math.floor(other[seat] * 1e9 + 0.5)
    if value != other_value:
        return value > other_value
    return math.floor(one[1 - seat] * 1e9 + 0.5) > math.floor(other[1 - seat] * 1e9 + 0.5)


def division_at(items: Values, place: int, like: tuple[float, ...]) -> tuple[float, ...]:
    """Division at an index of `divisions`, as a tuple of the length of ``like``."""
    out = draft(like)
    for k in range(len(items) - 1, -1, -1):
        out = put(out, k, place % (items[k] + 1) * 1.0)
        place //= items[k] + 1
    return to_tuple(out)
