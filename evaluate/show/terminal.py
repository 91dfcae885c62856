"""Parts of an analysis on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import IO, Any

from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import (
    FOLDED,
    HEADING,
    NOTE,
    SUBHEADING,
    TERMINAL,
    TEXT,
    WARNING,
    Divider,
    Part,
    Table,
    Text,
    write_interval,
    write_value,
)

NAME_WIDTH, LEAST_NAME = 14, 8
"""Characters that a column of names keeps on a narrow terminal, and where heads of several words folded first; longer
names fold."""

STYLES = {HEADING: "bold", SUBHEADING: "bold", NOTE: "dim", WARNING: "yellow"}

RANGE = "95%"
"""Heading of a column of intervals."""


def show(parts: Iterable[Part | str], out: IO[str] | None = None) -> None:
    """Prints tables and texts to standard output, or elsewhere; figures are for pages and files."""
    from rich.console import Console

    console, heading = Console(file=out or sys.stdout, highlight=False, markup=False), ""
    said: set[str] = set()
    for part in parts:
        if isinstance(part, Text) and part.kind == HEADING:
            heading = part.text if TERMINAL in part.places else ""
        for shown in _render(part, heading, said):
            console.print(shown)


def _render(part: Part | str, heading: str, said: set[str]) -> Iterator[Any]:
    from rich.text import Text as Line

    if isinstance(part, str):
        yield part
    elif isinstance(part, Text):
        if TERMINAL in part.places and part.kind != FOLDED:
            yield Line(("\n" if part.kind == HEADING else "") + visible(part.text), style=STYLES.get(part.kind, ""))
    elif isinstance(part, Table) and part and TERMINAL in part.places:
        yield from render_table(part, heading, said)


def render_table(table: Table, heading: str = "", said: set[str] | None = None) -> Iterator[Any]:
    """A table as its title, rich ones, several if it is too wide for one, and its legend below.

    Args:
        table: To be shown.
        heading: What stands above it; a title that says the same is left out.
        said: Sentences below the tables above, which are not said again; those of this table are added.
    """
    from rich.text import Text as Line

    table = table.at(TERMINAL)
    names = table.names()
    columns = [_texts(table, at) for at in range(len(table.columns))]
    if not heading.startswith(table.title):
        yield Line(visible(table.title), style="bold")  # by itself: a table would fold its title to its own width
    for chosen in _fit(columns[:names], columns[names:]):
        yield _rich_table(table, [*columns[:names], *chosen])
    said = set() if said is None else said
    legend = [one for one in table.sentences if one not in said]
    if legend:
        yield Line(visible(" ".join(legend)) + "\n", style="dim")
        said.update(legend)


class _Texts(list[tuple[str, list[str], bool]]):
    """Columns of a terminal for one column of a table: heading, cells, whether they are words."""

    def width(self, fold: bool) -> int:
        """Characters that they take."""
        return sum(_width(head, cells, words, fold) + 2 for head, cells, words in self)


def _width(head: str, cells: Sequence[str], words: bool, fold: bool) -> int:
    heads = head.split(" ") if fold and not words else [head]
    width = max(map(len, [*heads, *cells]))
    return min(NAME_WIDTH, width) if words and fold else width


def _texts(table: Table, at: int) -> _Texts:
    column = table.columns[at]
    rows = [row for row in table.rows if not isinstance(row, Divider)]
    words = column.kind == TEXT
    found = _Texts([(column.title, [write_value(column, row[at]) for row in rows], words)])
    if column.ranged and not words:
        found.append((RANGE, [write_interval(column, row[at]) or NOTHING for row in rows], False))
    return found


def _fit(names: Sequence[_Texts], others: Sequence[_Texts]) -> Iterator[list[_Texts]]:
    """The columns behind the names, in as many parts as the width of the terminal asks for."""
    room = get_terminal_size().columns - sum(one.width(fold=True) for one in names)
    chosen: list[_Texts] = []
    for one in others:
        if chosen and sum(other.width(fold=True) for other in [*chosen, one]) > room:
            yield chosen
            chosen = []
        chosen.append(one)
    yield chosen


def _rich_table(table: Table, columns: Sequence[_Texts]) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text as Line

    made = RichTable(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    flat = [one for column in columns for one in column]
    fold = sum(column.width(fold=False) for column in columns) > get_terminal_size().columns
    for head, cells, words in flat:
        justify: Any = "left" if words else "right"
        least = min(LEAST_NAME if fold else NAME_WIDTH, max(map(len, [head, *cells]))) if words else None
        shown = Line(head.replace(" ", "\n") if fold and not words else head)
        made.add_column(shown, justify=justify, overflow="fold", no_wrap=not words, min_width=least)
    indent = "  " if any(isinstance(row, Divider) for row in table.rows) else ""
    lines = iter(zip(*(cells for _, cells, _ in flat), strict=True))
    for row in table.rows:
        if isinstance(row, Divider):
            about = f" ({visible(row.about)})" if row.about else ""
            made.add_row(Line(visible(row.text) + about, style="italic"))
        else:
            first, *rest = next(lines)
            made.add_row(Line(indent + first), *map(Line, rest))
    return made
