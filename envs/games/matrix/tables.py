"""Payoff tables of the named games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from econzoo.envs.core.contract import CustomDomain, OneOf, OrNone, Parameter, Real, TupleOf

Table = tuple[float, float, float, float, float, float, float, float]
"""Points of the row seat for CC, CD, DC, DD, then of the column seat for the same cells, the row's move first."""

POINTS = Real(-1e9, 1e9)
CELLS = CustomDomain(
    OrNone(TupleOf(2, TupleOf(2, TupleOf(2, POINTS)))),
    "None, or [[[a, b], [c, d]], [[e, f], [g, h]]]: in row C the cells CC and CD, in row D the cells DC and DD,"
    f" each a pair of {POINTS.plural}, the row seat's first",
)

VIEW_CELLS = ("cc", "cd", "dc", "dd", "other_cc", "other_cd", "other_dc", "other_dd")
"""Payoff fields of views: own ones first, the own move named first."""

TABLES: dict[str, Table] = {
    "prisoners-dilemma": (3.0, 0.0, 5.0, 1.0, 3.0, 5.0, 0.0, 1.0),
    "stag-hunt": (4.0, 0.0, 3.0, 3.0, 4.0, 3.0, 0.0, 3.0),
    "chicken": (3.0, 1.0, 4.0, 0.0, 3.0, 4.0, 1.0, 0.0),
    "battle-of-the-sexes": (2.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0),
    "matching-pennies": (1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0),
}
"""The prisoner's dilemma of Axelrod (1984); Rousseau's stag hunt (Skyrms 2004), in which the value of a hare does not
depend on the other; chicken (Rapoport and Chammah 1966); the battle of the sexes of Luce and Raiffa (1957), with 0 for
miscoordination; matching pennies (von Neumann and Morgenstern 1944), in which the row seat wants a match."""

TITLES = {
    "prisoners-dilemma": "Prisoner's dilemma",
    "stag-hunt": "Stag hunt",
    "chicken": "Chicken",
    "battle-of-the-sexes": "Battle of the sexes",
    "matching-pennies": "Matching pennies",
}


def table_from_cells(cells: Sequence[Sequence[Sequence[float]]]) -> Table:
    """Convert payoffs[row][column][seat], with rows and columns C and D, to a table."""
    pairs = list(chain.from_iterable(cells))
    return tuple([float(pair[0]) for pair in pairs] + [float(pair[1]) for pair in pairs])  # type: ignore[return-value]


def swap_seats(table: Table) -> Table:
    cc, cd, dc, dd, other_cc, other_cd, other_dc, other_dd = table
    return other_cc, other_dc, other_cd, other_dd, cc, dc, cd, dd


def own_first_table(view: Any) -> Table:
    """Table of a view, the own payoffs first."""
    return tuple([getattr(view, cell) for cell in VIEW_CELLS])  # type: ignore[return-value]


def row_first_table(view: Any) -> Table:
    """Table of a view, the row seat's payoffs first."""
    return own_first_table(view) if view.seat == 0 else swap_seats(own_first_table(view))


def name_of(table: Sequence[float]) -> str | None:
    """Name of the game with a table, or None."""
    return next((name for name, known in TABLES.items() if known == tuple(table)), None)


TABLE_PARAMETERS = (
    Parameter("stage_game", "prisoners-dilemma", OneOf(*TABLES), "Name of the stage game."),
    Parameter("payoffs", None, CELLS, "Payoff matrix: points of both seats in each cell; replaces `stage_game`."),
)


def resolve_table(public: Mapping[str, Any]) -> Table:
    """Return the table of the public parameters."""
    return TABLES[public["stage_game"]] if public["payoffs"] is None else table_from_cells(public["payoffs"])
