"""Theory of one round: dominance, all equilibria, security levels and bargaining points, in closed form.

A table has eight numbers: those of the row seat for CC, CD, DC, DD, then those of the column seat for the same cells,
the row seat's move first. A mixed strategy is the probability of C.

Sources:
    Nash, J. (1951). Non-cooperative games. Annals of Mathematics 54(2), 286-295.
    von Neumann, J. (1928). Zur Theorie der Gesellschaftsspiele. Mathematische Annalen 100, 295-320. (Minmax values.)
    Nash, J. (1950). The bargaining problem. Econometrica 18(2), 155-162.
    Kalai, E. and Smorodinsky, M. (1975). Other solutions to Nash's bargaining problem. Econometrica 43(3), 513-518.
    Mangasarian, O. (1964). Equilibrium points of bimatrix games. SIAM Journal 12(4), 778-780. (Extreme equilibria.)
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from econzoo.envs.families.two_seats import seat_of
from econzoo.envs.games.matrix.tables import Table, swap_seats
from econzoo.envs.games.matrix.validation import validate_noise, validate_table

NEGLIGIBLE = 1e-12
"""Differences up to here, as a fraction of the largest number of the table, are rounding."""

Point = tuple[float, float]
"""Points of both seats."""


class Equilibrium(NamedTuple):
    """A pair of strategies, each a best reply to the other.

    Attributes:
        row: Probability with which the row seat plays C.
        column: Probability with which the column seat plays C.
        payoffs: Expected points of both seats.
    """

    row: float
    column: float
    payoffs: Point


def expected_table(table: Table, noise: float) -> Table:
    """The table by what is chosen rather than by what comes out: what each pair of choices pays on average.

    Args:
        table: Points by what comes out.
        noise: Probability that a choice comes out as the other one, in [0, 1/2].
    """
    values, slips = validate_table(table), validate_noise(noise)
    if slips == 0.0:
        return values
    own = [[(1.0 - slips) if chosen == out else slips for out in (0, 1)] for chosen in (0, 1)]
    cells = [(chosen, other) for chosen in (0, 1) for other in (0, 1)]
    mean = [
        sum([own[row][i] * own[column][j] * values[4 * seat + 2 * i + j] for i, j in cells])
        for seat in (0, 1)
        for row, column in cells
    ]
    return tuple(mean)  # type: ignore[return-value]


def payoffs(table: Table, row: float, column: float) -> Point:
    """Expected points of both seats.

    Args:
        table: See the module.
        row: Probability with which the row seat plays C.
        column: Probability with which the column seat plays C.
    """
    chances = (row * column, row * (1.0 - column), (1.0 - row) * column, (1.0 - row) * (1.0 - column))
    first = sum([chance * x for chance, x in zip(chances, table[:4], strict=True)])
    second = sum([chance * x for chance, x in zip(chances, table[4:], strict=True)])
    return first, second


# Dominance


def table_for_seat(table: Table, seat: int) -> Table:
    """The table with the points of a seat first, its own move named first."""
    return validate_table(table) if seat_of(seat) == 0 else swap_seats(validate_table(table))


def rounding_tolerance(table: Table) -> float:
    """Differences of points up to here are rounding."""
    return NEGLIGIBLE * max(map(abs, table))


def dominant_move(table: Table, seat: int, weakly: bool = False) -> str | None:
    """The move of a seat that is better than its other one whatever the other seat does: ``"C"``, ``"D"`` or None.

    Args:
        table: See the module.
        seat: 0 or 1.
        weakly: Whether it is enough to be never worse, and better against one of the two moves.
    """
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    least = rounding_tolerance(table)
    for name, (against_c, against_d) in (("C", (cc - dc, cd - dd)), ("D", (dc - cc, dd - cd))):
        if min(against_c, against_d) > least:
            return name
        if weakly and min(against_c, against_d) >= -least and max(against_c, against_d) > least:
            return name
    return None


# Equilibria


def advantage(table: Table, seat: int, other: float) -> float:
    """How much better C is for a seat than D, against C with a probability, in expected points."""
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    return other * (cc - dc) + (1.0 - other) * (cd - dd)


def indifference(table: Table, seat: int) -> float | None:
    """Probability of the other's C, strictly between 0 and 1, that makes both moves of a seat as good; None if none."""
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    against_c, against_d, least = cc - dc, cd - dd, rounding_tolerance(table)
    if (against_c > least and against_d < -least) or (against_c < -least and against_d > least):
        return against_d / (against_d - against_c)
    return None


def _is_best_reply(mixture: float, advantage_of_c: float, least: float) -> bool:
    """Whether a mixture is a best reply, given how much better C is."""
    return (mixture == 1.0 or advantage_of_c <= least) and (mixture == 0.0 or advantage_of_c >= -least)


def equilibria(table: Table) -> tuple[Equilibrium, ...]:
    """All equilibria of one round; where there are infinitely many, the extreme ones, of which the others are mixtures.

    An extreme equilibrium is made of pure strategies and of mixtures that leave the other indifferent: nine pairs.

    Returns:
        Pure ones first, by falling probability of C.
    """
    values, least = validate_table(table), rounding_tolerance(table)
    rows = [1.0, 0.0, indifference(values, 1)]
    columns = [1.0, 0.0, indifference(values, 0)]
    found = [
        Equilibrium(row, column, payoffs(values, row, column))
        for row in rows
        for column in columns
        if row is not None
        and column is not None
        and _is_best_reply(row, 0.0 if column == columns[2] else advantage(values, 0, column), least)
        and _is_best_reply(column, 0.0 if row == rows[2] else advantage(values, 1, row), least)
    ]
    return tuple(
        sorted(found, key=lambda e: (e.row not in (0.0, 1.0) or e.column not in (0.0, 1.0), -e.row, -e.column))
    )


def pure_equilibria(table: Table) -> tuple[str, ...]:
    """The equilibria in pure strategies, each as ``"CD"``: the row seat's move, the column seat's."""
    pure = [e for e in equilibria(table) if {e.row, e.column} <= {0.0, 1.0}]
    return tuple([("C" if e.row else "D") + ("C" if e.column else "D") for e in pure])


def equilibrium_value(table: Table) -> Point | None:
    """The points of both seats if all equilibria of one round pay the same, else None.

    Between extreme equilibria payoffs are mixtures of theirs, so that it is enough to compare those.
    """
    found, least = [e.payoffs for e in equilibria(table)], 10.0 * rounding_tolerance(table)
    same = all(abs(a - b) <= least for one in found for a, b in zip(one, found[0], strict=True))
    return found[0] if same else None


# Security


def minmax(table: Table, seat: int) -> tuple[float, float]:
    """The least that the other seat can hold a seat to, which is also the most that the seat can make sure of.

    In two moves each, the value lies where one move of the other is worst whatever the seat does, or in mixtures.

    Returns:
        The points, and the probability of C with which the other seat holds it there.
    """
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    balance = indifference(table, seat)
    others = [1.0, 0.0, *([] if balance is None else [balance])]
    return min([(max(y * cc + (1.0 - y) * cd, y * dc + (1.0 - y) * dd), y) for y in others])


def security(table: Table) -> Point:
    """The minmax values of both seats."""
    return minmax(table, 0)[0], minmax(table, 1)[0]


# Bargaining over the mixtures of the four cells, with the minmax values if there is no agreement


def _cells(table: Table) -> tuple[Point, ...]:
    values = validate_table(table)
    return tuple(zip(values[:4], values[4:], strict=True))


def _interpolate(one: Point, other: Point, part: float) -> Point:
    """The point a part of the way from one to another."""
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])


def utilitarian_point(table: Table) -> Point:
    """The cell with the largest sum of points; the mean of several that are as good."""
    cells, least = _cells(table), rounding_tolerance(table)
    most = max(map(sum, cells))
    best = [cell for cell in cells if sum(cell) >= most - 2.0 * least]
    return sum([cell[0] for cell in best]) / len(best), sum([cell[1] for cell in best]) / len(best)


def rational_corners(table: Table) -> tuple[Point, ...]:
    """Mixtures of cells that give each seat its minmax value at least, the corners of all such mixtures among them."""
    d, least = security(table), rounding_tolerance(table)
    tried = list(_cells(table))
    for one, other in combinations(_cells(table), 2):
        for seat in (0, 1):
            width = other[seat] - one[seat]
            part = (d[seat] - one[seat]) / width if width else -1.0
            tried += [_interpolate(one, other, part)] if 0.0 <= part <= 1.0 else []
    return tuple([point for point in tried if point[0] >= d[0] - least and point[1] >= d[1] - least])


def nash_point(table: Table) -> Point:
    """The mixture of cells with the largest product of gains over the minmax values (Nash 1950).

    On the line between two cells the product is a parabola; its peak and the corners are compared. Where one seat can
    gain nothing, it is the mixture in which the other gains most.
    """
    d, tried = security(table), list(rational_corners(table))
    for one, other in combinations(_cells(table), 2):
        (u, v), (du, dv) = (one[0] - d[0], one[1] - d[1]), (other[0] - one[0], other[1] - one[1])
        if du * dv < 0.0:
            tried.append(_interpolate(one, other, min(1.0, max(0.0, -(u * dv + v * du) / (2.0 * du * dv)))))
    return max(tried, key=lambda point: (max(point[0] - d[0], 0.0) * max(point[1] - d[1], 0.0), sum(point)))


def ideal_point(table: Table) -> Point:
    """The most that each seat can get in a mixture of cells that gives the other its minmax value at least."""
    corners = rational_corners(table)
    return max([point[0] for point in corners]), max([point[1] for point in corners])


def kalai_smorodinsky_point(table: Table) -> Point:
    """The mixture of cells at which the smaller of both parts is largest, each a part of what the seat could gain.

    A seat's part is its gain over its minmax value divided by the most that it could gain (`ideal_point`); both are the
    same unless the cells do not let them be (Kalai and Smorodinsky 1975). Where one seat can gain nothing, it is the
    mixture in which the other gains most.
    """
    d, most = security(table), ideal_point(table)
    first, second = most[0] - d[0], most[1] - d[1]
    if min(first, second) <= rounding_tolerance(table):
        return max(rational_corners(table), key=sum)

    def parts(point: Point) -> Point:
        return (point[0] - d[0]) / first, (point[1] - d[1]) / second

    tried = list(_cells(table))
    for one, other in combinations(_cells(table), 2):
        before, after = (mine - yours for mine, yours in map(parts, (one, other)))
        if before * after < 0.0:
            tried.append(_interpolate(one, other, before / (before - after)))
    return max(tried, key=lambda point: (min(parts(point)), sum(point)))
