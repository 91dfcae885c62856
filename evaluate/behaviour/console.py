"""Tables of behaviour for the terminal, within 80 columns."""

from __future__ import annotations

import math
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.evaluate import console, formats
from econzoo.evaluate.behaviour.measures import Behaviour
from econzoo.evaluate.behaviour.tables import Cell, Table, tables
from econzoo.evaluate.escapes import visible


def shown(found: Behaviour) -> list[Any]:
    """Everything for `econzoo.evaluate.console.show`."""
    parts: list[Any] = []
    for game in found.games:
        parts.append(f"{game}: {many(found.matches[game], 'match')}, {many(found.clusters[game], 'cluster')}\n")
        made = tables(found, game)
        if not made:
            parts.append("There is no move to measure.\n")
        for table in made:
            parts.append(rich_table(table))
            parts.append(table.note + "\n")
    return parts


def rich_table(table: Table) -> Any:
    """A rich table; an interval takes a column of its own."""
    wide = [any(cells[i].ranged for _, cells in table.rows) for i in range(len(table.heads) - 1)]
    heads = [table.heads[0]]
    for head, ranged in zip(table.heads[1:], wide, strict=True):
        heads += [head, "95%"] if ranged else [head]
    lines = []
    for name, cells in table.rows:
        line = [visible(name)]
        for cell, ranged in zip(cells, wide, strict=True):
            line += [text(cell), interval(cell)] if ranged else [text(cell)]
        lines.append(line)
    return console.table(table.title, heads, lines)


def text(cell: Cell) -> str:
    """The estimate."""
    if cell.form == "count":
        return f"{cell.found.rows:,}"
    if cell.form == "percent":
        return formats.percent(cell.found.mean)
    return formats.NOTHING if math.isnan(cell.found.mean) else _number(cell.found.mean, cell)


def interval(cell: Cell) -> str:
    """Its interval."""
    low, high = cell.found.low, cell.found.high
    if math.isnan(low) or math.isnan(high):
        return formats.NOTHING
    if cell.form == "percent":
        return f"{100 * low:.0f}\u2013{100 * high:.0f}%"
    # With a sign in it a dash would be read as one.
    between = " to " if round(low, 2) < 0 else "\u2013"
    return _number(low, cell) + between + _number(high, cell)


def _number(value: float, cell: Cell) -> str:
    digits = 0 if cell.form == "round" else 2
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no minus before a zero
