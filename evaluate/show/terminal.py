"""Parts of an analysis on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import IO, Any, NamedTuple

from econzoo.evaluate.show.escapes import sanitize_text
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
    no_interval_reason,
    write_interval,
    write_value,
)

UNLIMITED = 10_000
"""Characters of a line where nothing limits it: in a pipe, or in the log of a batch job."""

MAX_TEXT_WIDTH = 14
"""Characters of a column of words on a narrow terminal; longer ones fold."""

MIN_LABEL_WIDTH = 22
"""Characters that labels of rows keep on any terminal; where there is room they have half of its width."""

EDGE = 1
"""Characters of a table beside its columns."""

STYLES = {HEADING: "bold", SUBHEADING: "bold", NOTE: "dim", WARNING: "yellow"}

RANGE = "95%"
"""Heading of a column of intervals."""


def show(parts: Iterable[Part | str], out: IO[str] | None = None) -> None:
    """Prints tables and texts to standard output, or elsewhere; figures are for pages and files."""
    from rich.console import Console
    from rich.text import Text as Line

    out = out or sys.stdout
    width, heading = width_of(out), ""
    console, wide = (Console(file=out, highlight=False, markup=False, width=one) for one in (width, UNLIMITED))
    said: set[str] = set()
    for part in parts:
        if isinstance(part, Text) and part.kind == HEADING:
            heading = part.text if TERMINAL in part.places else ""
        for shown in _render(part, heading, said, width):
            (console if isinstance(shown, str | Line) else wide).print(shown)


def width_of(out: IO[str]) -> int:
    """Characters of a line: what ``COLUMNS`` says, else the terminal's; `UNLIMITED` where there is neither."""
    return get_terminal_size().columns if os.environ.get("COLUMNS") or out.isatty() else UNLIMITED


def _render(part: Part | str, heading: str, said: set[str], width: int) -> Iterator[Any]:
    from rich.text import Text as Line

    if isinstance(part, str):
        yield part
    elif isinstance(part, Text):
        if TERMINAL in part.places and part.kind != FOLDED:
            yield Line(
                ("\n" if part.kind == HEADING else "") + sanitize_text(part.text), style=STYLES.get(part.kind, "")
            )
    elif isinstance(part, Table) and part and TERMINAL in part.places:
        yield from render_table(part, heading, said, width)


def render_table(
    table: Table, heading: str = "", printed_sentences: set[str] | None = None, width: int = UNLIMITED
) -> Iterator[Any]:
    """A table as its title, rich ones, several if it is too wide for one, and its legend below.

    Labels of rows keep their width, and fold only where they are wider than half of the terminal.

    Args:
        table: To be shown.
        heading: What stands above it; a title that says the same is left out.
        printed_sentences: Sentences below the tables above, which are not said again; those of this table are added.
        width: Characters of a line.
    """
    from rich.text import Text as Line

    table = table.restrict_to(TERMINAL)
    names = table.count_name_columns()
    first, *columns = (_text_columns(table, at) for at in range(len(table.columns)))
    beside = sum(_width(one, fold=True) for one in columns[: names - 1])
    widest = max((_width(one, fold=True) for one in columns[names - 1 :]), default=0)
    label = max(MIN_LABEL_WIDTH, min(width // 2, width - EDGE - 2 - beside - widest))
    indent = "  " if any(isinstance(row, Divider) for row in table.rows) else ""
    first = [one._replace(cells=[indent + cell for cell in one.cells], most=one.most and label) for one in first]
    columns = [first, *columns]
    if not heading.startswith(table.title):
        yield Line(sanitize_text(table.title), style="bold")  # by itself: a table would fold its title to its own width
    for chosen in _split_columns(columns[:names], columns[names:], width):
        yield _rich_table(table, [*columns[:names], *chosen], width)
    printed_sentences = set() if printed_sentences is None else printed_sentences
    legend = [one for one in table.sentences if one not in printed_sentences]
    if legend:
        yield Line(sanitize_text(" ".join(legend)) + "\n", style="dim")
        printed_sentences.update(legend)


class _TextColumn(NamedTuple):
    """A column of a terminal.

    Attributes:
        head: Its heading.
        cells: Row by row.
        most: Characters of it on a narrow terminal, where it folds then; 0: it keeps all.
    """

    head: str
    cells: list[str]
    most: int

    def width(self, fold: bool) -> int:
        """Characters that it takes."""
        heads = self.head.split(" ") if fold and not self.most else [self.head]
        width = max(map(len, [*heads, *self.cells]))
        return min(self.most, width) if self.most and fold else width


def _width(columns: Iterable[_TextColumn], fold: bool) -> int:
    return sum(one.width(fold) + 2 for one in columns)


def _text_columns(table: Table, at: int) -> list[_TextColumn]:
    """The columns of a terminal for one column of a table."""
    column = table.columns[at]
    rows = [row for row in table.rows if not isinstance(row, Divider)]
    most = MAX_TEXT_WIDTH if column.kind == TEXT else 0
    found = [_TextColumn(column.title, [write_value(column, row[at]) for row in rows], most)]
    if column.show_interval and not most:
        ranges = [write_interval(column, row[at]) or no_interval_reason(row[at]) or NOTHING for row in rows]
        found.append(_TextColumn(RANGE, ranges, 0))
    return found


def _split_columns(
    names: Sequence[list[_TextColumn]], others: Sequence[list[_TextColumn]], width: int
) -> Iterator[list[list[_TextColumn]]]:
    """The columns behind the names, in as many parts as the width of the terminal asks for."""
    room = width - EDGE - sum(_width(one, fold=True) for one in names)
    chosen: list[list[_TextColumn]] = []
    for one in others:
        if chosen and sum(_width(other, fold=True) for other in [*chosen, one]) > room:
            yield chosen
            chosen = []
        chosen.append(one)
    yield chosen


def _rich_table(table: Table, columns: Sequence[list[_TextColumn]], width: int) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text as Line

    made = RichTable(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    flat = [one for column in columns for one in column]
    fold = _width(flat, fold=False) > width - EDGE
    spare = max(0, width - EDGE - _width(flat, fold))  # for what stands above rows
    for at, one in enumerate(flat):
        shown = Line(one.head.replace(" ", "\n") if fold and not one.most else one.head)
        most = one.width(fold) + (0 if at else spare) if one.most else None
        made.add_column(
            shown, justify="left" if one.most else "right", overflow="fold", no_wrap=not one.most, max_width=most
        )
    lines = iter(zip(*(one.cells for one in flat), strict=True))
    for row in table.rows:
        if isinstance(row, Divider):
            about = f" ({sanitize_text(row.detail)})" if row.detail else ""
            made.add_row(Line(sanitize_text(row.text) + about, style="italic"))
        else:
            made.add_row(*map(Line, next(lines)))
    return made
