"""Theory of the stage game in closed form: dominance, equilibria, security levels and bargaining solutions.

A table has eight payoffs: those of the row seat for CC, CD, DC, DD, then those of the column seat for the same cells,
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

from econzoo.envs.families import seat_of
from econzoo.envs.games.matrix.tables import Table, swap_seats
from econzoo.envs.games.matrix.validation import validate_noise, validate_table

NEGLIGIBLE = 1e-12
"""Differences up to this fraction of the largest payoff of the table count as rounding."""

Point = tuple[float, float]
"""Points of both seats."""


class Equilibrium(NamedTuple):
    """A Nash equilibrium.

    Attributes:
        row: Probability that the row seat plays C.
        column: Probability that the column seat plays C.
        payoffs: Expected points of both seats.
    """

    row: float
    column: float
    payoffs: Point


def expected_table(table: Table, noise: float) -> Table:
    """Expected payoffs of each pair of choices under noise.

    Args:
        table: Payoffs by realised moves.
        noise: Probability that a choice is flipped, in [0, 1/2].
    """
    values, flip = validate_table(table), validate_noise(noise)
    if flip == 0.0:
        return values
    chances = [[(1.0 - flip) if chosen == realised else flip for realised in (0, 1)] for chosen in (0, 1)]
    cells = [(chosen, other) for chosen in (0, 1) for other in (0, 1)]
    mean = [
        sum([chances[row][i] * chances[column][j] * values[4 * seat + 2 * i + j] for i, j in cells])
        for seat in (0, 1)
        for row, column in cells
    ]
    return tuple(mean)  # type: ignore[return-value]


def payoffs(table: Table, row: float, column: float) -> Point:
    """Expected points of both seats.

    Args:
        table: See the module.
        row: Probability that the row seat plays C.
        column: Probability that the column seat plays C.
    """
    chances = (row * column, row * (1.0 - column), (1.0 - row) * column, (1.0 - row) * (1.0 - column))
    first = sum([chance * x for chance, x in zip(chances, table[:4], strict=True)])
    second = sum([chance * x for chance, x in zip(chances, table[4:], strict=True)])
    return first, second


# Dominance


def table_for_seat(table: Table, seat: int) -> Table:
    """Table with the payoffs of a seat first, its own move named first."""
    return validate_table(table) if seat_of(seat) == 0 else swap_seats(validate_table(table))


def rounding_tolerance(table: Table) -> float:
    """Differences of points up to this count as rounding."""
    return NEGLIGIBLE * max(map(abs, table))


def dominant_move(table: Table, seat: int, weakly: bool = False) -> str | None:
    """Dominant move of a seat: ``"C"``, ``"D"`` or None.

    Args:
        table: See the module.
        seat: 0 or 1.
        weakly: Whether weak dominance suffices.
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
    """Expected gain of a seat from C over D, against C with probability `other`."""
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    return other * (cc - dc) + (1.0 - other) * (cd - dd)


def indifference(table: Table, seat: int) -> float | None:
    """Probability of the other's C, strictly between 0 and 1, that makes a seat indifferent; None if there is none."""
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    against_c, against_d, least = cc - dc, cd - dd, rounding_tolerance(table)
    if (against_c > least and against_d < -least) or (against_c < -least and against_d > least):
        return against_d / (against_d - against_c)
    return None


def _is_best_reply(mixture: float, advantage_of_c: float, least: float) -> bool:
    """Whether a mixture is a best response, given the advantage of C."""
    return (mixture == 1.0 or advantage_of_c <= least) and (mixture == 0.0 or advantage_of_c >= -least)


def equilibria(table: Table) -> tuple[Equilibrium, ...]:
    """All equilibria of the stage game; if there are infinitely many, the extreme ones, whose mixtures are the others.

    Extreme equilibria consist of pure strategies and of mixtures that make the other indifferent: nine candidates.

    Returns:
        Pure ones first, by descending probability of C.
    """
    values, least = validate_table(table), rounding_tolerance(table)
    rows = [1.0, 0.0, indifference(values, 1)]
    columns = [1.0, 0.0, indifference(values, 0)]
    profiles = [
        Equilibrium(row, column, payoffs(values, row, column))
        for row in rows
        for column in columns
        if row is not None
        and column is not None
        # The mixture that makes a seat indifferent gives C no advantage by construction; computing it again would leave
        # rounding, which the tolerance need not cover.
        and _is_best_reply(row, 0.0 if column == columns[2] else advantage(values, 0, column), least)
        and _is_best_reply(column, 0.0 if row == rows[2] else advantage(values, 1, row), least)
    ]
    return tuple(
        sorted(profiles, key=lambda e: (e.row not in (0.0, 1.0) or e.column not in (0.0, 1.0), -e.row, -e.column))
    )


def pure_equilibria(table: Table) -> tuple[str, ...]:
    """Pure equilibria as ``"CD"``: the row seat's move, then the column seat's."""
    pure = [e for e in equilibria(table) if {e.row, e.column} <= {0.0, 1.0}]
    return tuple([("C" if e.row else "D") + ("C" if e.column else "D") for e in pure])


def equilibrium_value(table: Table) -> Point | None:
    """Payoffs of both seats if they are the same in all equilibria of the stage game, else None.

    Payoffs of other equilibria are mixtures of those of extreme ones, so comparing these suffices.
    """
    # Payoffs of mixtures are sums of products of rounded numbers: they get ten times the tolerance of one number.
    points, least = [e.payoffs for e in equilibria(table)], 10.0 * rounding_tolerance(table)
    same = all(abs(a - b) <= least for point in points for a, b in zip(point, points[0], strict=True))
    return points[0] if same else None


# Security


def minmax(table: Table, seat: int) -> tuple[float, float]:
    """Minmax value of a seat, which equals its maxmin value.

    In 2x2 games it is attained at a pure strategy of the other or where the seat is indifferent.

    Returns:
        The points, and the other's probability of C that attains them.
    """
    cc, cd, dc, dd = table_for_seat(table, seat)[:4]
    mixture = indifference(table, seat)
    # The largest of two linear functions of y is convex, with its minimum at an end or where they cross.
    others = [1.0, 0.0, *([] if mixture is None else [mixture])]
    return min([(max(y * cc + (1.0 - y) * cd, y * dc + (1.0 - y) * dd), y) for y in others])


def security(table: Table) -> Point:
    """Minmax values of both seats."""
    return minmax(table, 0)[0], minmax(table, 1)[0]


# Bargaining over mixtures of the four cells, with the minmax values as disagreement point


def _cells(table: Table) -> tuple[Point, ...]:
    values = validate_table(table)
    return tuple(zip(values[:4], values[4:], strict=True))


def _interpolate(one: Point, other: Point, part: float) -> Point:
    """Point at a fraction of the way between two points."""
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])


def utilitarian_point(table: Table) -> Point:
    """Cell with the largest sum of points; the mean of ties."""
    cells, least = _cells(table), rounding_tolerance(table)
    most = max(map(sum, cells))
    # Both payoffs of a sum may be off by the tolerance.
    best = [cell for cell in cells if sum(cell) >= most - 2.0 * least]
    return sum([cell[0] for cell in best]) / len(best), sum([cell[1] for cell in best]) / len(best)


def rational_corners(table: Table) -> tuple[Point, ...]:
    """Individually rational mixtures of cells, including all corners of their set."""
    d, least = security(table), rounding_tolerance(table)
    candidates = list(_cells(table))
    for one, other in combinations(_cells(table), 2):
        for seat in (0, 1):
            width = other[seat] - one[seat]
            # Both cells pay the seat the same: its minmax value is met nowhere, or all along a line whose ends are
            # cells.
            part = (d[seat] - one[seat]) / width if width else -1.0
            candidates += [_interpolate(one, other, part)] if 0.0 <= part <= 1.0 else []
    return tuple([point for point in candidates if point[0] >= d[0] - least and point[1] >= d[1] - least])


def nash_point(table: Table) -> Point:
    """Mixture of cells with the largest product of gains over the minmax values (Nash 1950).

    On the line between two cells the product is a parabola; its peak and the corners are compared. If one seat cannot
    gain, the other's gain is maximised.
    """
    d, candidates = security(table), list(rational_corners(table))
    for one, other in combinations(_cells(table), 2):
        (u, v), (du, dv) = (one[0] - d[0], one[1] - d[1]), (other[0] - one[0], other[1] - one[1])
        if du * dv < 0.0:
            candidates.append(_interpolate(one, other, min(1.0, max(0.0, -(u * dv + v * du) / (2.0 * du * dv)))))
    # If a seat cannot gain, all products are 0, and the sum decides.
    return max(candidates, key=lambda point: (max(point[0] - d[0], 0.0) * max(point[1] - d[1], 0.0), sum(point)))


def ideal_point(table: Table) -> Point:
    """Maximum payoff of each seat over individually rational mixtures."""
    corners = rational_corners(table)
    return max([point[0] for point in corners]), max([point[1] for point in corners])


def kalai_smorodinsky_point(table: Table) -> Point:
    """Mixture of cells that maximises the smaller relative gain (Kalai and Smorodinsky 1975).

    A seat's relative gain is its gain over its minmax value divided by its maximum gain (`ideal_point`); both are equal
    if the cells permit it. If one seat cannot gain, the other's gain is maximised.
    """
    d, most = security(table), ideal_point(table)
    first, second = most[0] - d[0], most[1] - d[1]
    if min(first, second) <= rounding_tolerance(table):
        return max(rational_corners(table), key=sum)

    def relative_gains(point: Point) -> Point:
        return (point[0] - d[0]) / first, (point[1] - d[1]) / second

    candidates = list(_cells(table))
    for one, other in combinations(_cells(table), 2):
        start, end = (mine - yours for mine, yours in map(relative_gains, (one, other)))
        if start * end < 0.0:
            candidates.append(_interpolate(one, other, start / (start - end)))
    return max(candidates, key=lambda point: (min(relative_gains(point)), sum(point)))
