"""Rendering of an analysis on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import IO, Any, NamedTuple

from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import FOLDED, HEADING, NOTE, SUBHEADING, TERMINAL, TEXT, WARNING, Divider, Part, Table
from econzoo.evaluate.show.parts import Text, no_interval_reason, write_interval, write_value

UNLIMITED = 10_000
"""Line width without a terminal, e.g. in a pipe or a batch log, in characters."""

MAX_TEXT_WIDTH = 14
"""Maximum width of a text column on a narrow terminal; longer cells wrap."""

MIN_LABEL_WIDTH = 22
"""Minimum width of row labels; they may use up to half the terminal."""

EDGE = 1
"""Margin of a table, in characters."""

STYLES = {HEADING: "bold", SUBHEADING: "bold", NOTE: "dim", WARNING: "yellow"}

RANGE = "95%"
"""Heading of a column of intervals."""


def show(parts: Iterable[Part | str], out: IO[str] | None = None) -> None:
    """Print tables and texts (not figures) to `out`; default: standard output."""
    from rich.console import Console
    from rich.text import Text as Line

    out = out or sys.stdout
    width, heading = width_of(out), ""
    # Tables fit the width already. The wide console prints them as they are; rich would shrink their columns instead.
    console, wide = (Console(file=out, highlight=False, markup=False, width=one) for one in (width, UNLIMITED))
    # Sentences that tables share, such as the meaning of a column, are printed once.
    printed: set[str] = set()
    for part in parts:
        if isinstance(part, Text) and part.kind == HEADING:
            heading = part.text if TERMINAL in part.places else ""
        for shown in _render(part, heading, printed, width):
            (console if isinstance(shown, str | Line) else wide).print(shown)


def width_of(out: IO[str]) -> int:
    """Line width: ``COLUMNS``, else the terminal's, else `UNLIMITED`."""
    return get_terminal_size().columns if os.environ.get("COLUMNS") or out.isatty() else UNLIMITED


def _render(part: Part | str, heading: str, printed: set[str], width: int) -> Iterator[Any]:
    from rich.text import Text as Line

    if isinstance(part, str):
        yield part
    elif isinstance(part, Text):
        if TERMINAL in part.places and part.kind != FOLDED:
            yield Line(
                ("\n" if part.kind == HEADING else "") + sanitize_text(part.text), style=STYLES.get(part.kind, "")
            )
    elif isinstance(part, Table) and part and TERMINAL in part.places:
        yield from render_table(part, heading, printed, width)


def render_table(
    table: Table, heading: str = "", printed_sentences: set[str] | None = None, width: int = UNLIMITED
) -> Iterator[Any]:
    """Yield the title, one or more rich tables that fit the width, and the legend.

    Row labels wrap only if they are wider than half of the terminal.

    Args:
        heading: Heading above the table; a title that repeats it is omitted.
        printed_sentences: Legend sentences already printed, which are not repeated; this table's are added.
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
        yield Line(sanitize_text(table.title), style="bold")  # outside the table, which would wrap it to its width
    for chosen in _split_columns(columns[:names], columns[names:], width):
        yield _rich_table(table, [*columns[:names], *chosen], width)
    printed_sentences = set() if printed_sentences is None else printed_sentences
    legend = [one for one in table.sentences if one not in printed_sentences]
    if legend:
        yield Line(sanitize_text(" ".join(legend)) + "\n", style="dim")
        printed_sentences.update(legend)


class _TextColumn(NamedTuple):
    """A column of a terminal table.

    Attributes:
        most: Maximum width without wrapped cells; 0: cells never wrap.
    """

    head: str
    cells: list[str]
    most: int

    def width(self, fold: bool) -> int:
        heads = self.head.split(" ") if fold and not self.most else [self.head]
        width = max(map(len, [*heads, *self.cells]))
        return min(self.most, width) if self.most and fold else width


def _width(columns: Iterable[_TextColumn], fold: bool) -> int:
    return sum(one.width(fold) + 2 for one in columns)


def _text_columns(table: Table, at: int) -> list[_TextColumn]:
    """Terminal columns of one table column: values, and intervals if shown."""
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
    """Split the columns after the row labels into groups that fit the width."""
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

    rich_table = RichTable(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    flat = [one for column in columns for one in column]
    fold = _width(flat, fold=False) > width - EDGE
    spare = max(0, width - EDGE - _width(flat, fold))  # for dividers
    for at, one in enumerate(flat):
        shown = Line(one.head.replace(" ", "\n") if fold and not one.most else one.head)
        most = one.width(fold) + (0 if at else spare) if one.most else None
        rich_table.add_column(
            shown, justify="left" if one.most else "right", overflow="fold", no_wrap=not one.most, max_width=most
        )
    lines = iter(zip(*(one.cells for one in flat), strict=True))
    for row in table.rows:
        if isinstance(row, Divider):
            detail = f" ({sanitize_text(row.detail)})" if row.detail else ""
            rich_table.add_row(Line(sanitize_text(row.text) + detail, style="italic"))
        else:
            rich_table.add_row(*map(Line, next(lines)))
    return rich_table
