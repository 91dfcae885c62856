"""Numbers of programs in words: what stands in the cells of tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from econzoo.baselines.parts.objectives import objective_of
from econzoo.evaluate.analyses.programs.rows import MEASURES
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.numbers import NOTHING, percent

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.estimates import Mean

TITLES = {measure.key: measure.title for measure in MEASURES}
SHORTS = {measure.key: measure.short for measure in MEASURES}
SHARES = {measure.key for measure in MEASURES if measure.cases}

DRAWN = (
    "cooperation",
    "own_coins",
    "after_cc",
    "access_paper",
    "access_extended",
    "cyclomatic",
    "effort",
    "tree_opponent",
    "exploitability",
)
"""Measures that are drawn."""


def known(rows: Sequence[Mean], keys: Sequence[str], game: str) -> list[str]:
    """The keys that have a value for somebody."""
    found = {row.measure for row in rows if row.game == game and not math.isnan(row.value)}
    return [key for key in keys if key in found]


def heads(keys: Sequence[str]) -> list[str]:
    """Of the columns of `numbers`."""
    return [head for at, key in enumerate(keys) for head in [SHORTS[key], *([] if at else ["95%"])]]


def numbers(row: Mapping[str, Mean], keys: Sequence[str]) -> list[str]:
    """Means; an interval stands with the first one only: there is no room for more on a terminal."""
    return [cell for at, key in enumerate(keys) for cell in [value(row[key]), *([] if at else [ends(row[key])])]]


def with_objectives(table: TextTable, specs: Sequence[str]) -> TextTable:
    """The table with a column that says what the author of each row is after, where there is an author.

    Args:
        table: With a row for each of the players.
        specs: Of these players.
    """
    objectives = [objective_of(spec) for spec in specs]
    if not any(objectives):
        return table
    rows = [[row[0], objective or NOTHING, *row[1:]] for row, objective in zip(table.rows, objectives, strict=True)]
    return table._replace(heads=[table.heads[0], "objective", *table.heads[1:]], rows=rows)


def value(row: Mean) -> str:
    """A mean in words."""
    if row.measure in SHARES:
        return percent(row.value)
    return NOTHING if math.isnan(row.value) else plain(row.value)


def ends(row: Mean) -> str:
    """Its interval in words."""
    if row.measure in SHARES:
        return between(row.low, row.high, lambda end: f"{100 * end:.0f}%")
    return between(row.low, row.high, plain)


def between(low: float, high: float, written: Callable[[float], str]) -> str:
    """Two ends of an interval."""
    if math.isnan(low):
        return NOTHING
    return f"{written(low)} to {written(high)}"


def plain(number: float) -> str:
    """Three digits that say something."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def signed(number: float) -> str:
    """A change: with its sign, where it is one."""
    digits = 0 if abs(number) >= 100 else 3
    return f"{number:+,.{digits}f}" if round(number, digits) else "0"
