"""What an analysis gives: tables, figures and texts, which every renderer shows in its own way.

    Table("ranking", "Ranking", [Column("player", kind=TEXT), Column("self_gain", "gain", show_interval=True)], rows)

A column knows what kind of values it has; a renderer (terminal, page, CSV, JSON, LaTeX) knows how that kind is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import NOTHING, format_interval, format_percent, format_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["Cell", "Column", "Divider", "Figure", "Table", "Text"]

TEXT, NUMBER, COUNT, SHARE, POINTS, MONEY = KINDS = ("text", "number", "count", "share", "points", "money")
"""Kinds of columns: words; real numbers; whole numbers; parts of 1, shown as percentages; differences of such parts, in
percentage points; US dollars."""

TERMINAL, PAGE, FILES = PLACES = ("terminal", "page", "files")
"""Where a part is shown; files are CSV and JSON (LaTeX has the tables of pages)."""

READER_PLACES = (TERMINAL, PAGE)
"""Where people read tables, chosen numbers side by side; files have tables of their own."""

RAW = "raw"
"""A place of tables: CSV and nothing else, for what numbers are made of, which has too many rows for JSON."""

HEADING, SUBHEADING, PARAGRAPH, NOTE, WARNING, FOLDED = TEXTS = (
    "heading",
    "subheading",
    "paragraph",
    "note",
    "warning",
    "folded",
)
"""Kinds of texts; a heading begins a section, and what is folded opens at a click and is on pages only."""

INFINITE = "\u221e"


class Estimate(Protocol):
    """A number with an interval, such as `econzoo.evaluate.stats.intervals.Interval`; NaN where there is none."""

    @property
    def mean(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """Lower end."""

    @property
    def high(self) -> float:
        """Upper end."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: Name in CSV and JSON.
        head: Heading; empty: the key, with spaces.
        kind: One of `KINDS`.
        digits: After the point, of numbers.
        signed: Whether numbers above 0 have a plus.
        show_interval: Whether intervals stand beside the estimates on a terminal too, where room is scarce.
        meaning: What the column is, as a sentence of the table's note; empty: that is plain.
        bar: Whether pages draw the estimates as bars from 0 to 1.
        places: Where the column is shown, of `PLACES`.
    """

    key: str
    head: str = ""
    kind: str = NUMBER
    digits: int = 3
    signed: bool = False
    show_interval: bool = False
    meaning: str = ""
    bar: bool = False
    places: tuple[str, ...] = PLACES

    @property
    def title(self) -> str:
        """The heading."""
        return self.head or self.key.replace("_", " ")


class Cell(NamedTuple):
    """A value and what is said about it.

    Attributes:
        value: Text, number, estimate or None.
        mark: Sign behind it, such as ``"*"``.
        tip: What a page says where the pointer rests.
        link: Address of what is behind the value, on pages.
        italic: Whether it is set apart from the others, such as a number that others have published.
        digits: After the point, where not as many as the others of its column have.
    """

    value: Any
    mark: str = ""
    tip: str = ""
    link: str = ""
    italic: bool = False
    digits: int | None = None


class Divider(NamedTuple):
    """A heading above some rows of a table; in files the column ``group`` of these rows.

    Attributes:
        text: The heading.
        detail: In smaller letters behind it.
    """

    text: str
    detail: str = ""


Row = Sequence[Any]
"""A value, an estimate or a `Cell` for each column."""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        key: Name of its files, and in JSON.
        title: Heading.
        columns: Those of kind text at the beginning name the rows; of words alone the first one does.
        rows: Rows, and dividers above some of them.
        note: How to read it; meanings of columns are added.
        shade: Colour of the cells of numbers on pages: ``"upwards"`` from 0, ``"around"`` 0, or none.
        places: Where it is shown, of `PLACES` and `RAW`.
    """

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row | Divider]
    note: str = ""
    shade: str = ""
    places: tuple[str, ...] = PLACES

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def sentences(self) -> list[str]:
        """The note, and what each column means."""
        meanings = dict.fromkeys(one.meaning for one in self.columns if one.meaning)
        return [*([self.note] if self.note else []), *(f"{meaning.removesuffix('.')}." for meaning in meanings)]

    @property
    def legend(self) -> str:
        """The note and the meanings as one text."""
        return " ".join(self.sentences)

    def restrict_to(self, place: str) -> Table:
        """The table with the columns that are shown there and have a value in some row."""
        kept = [at for at, one in enumerate(self.columns) if place in one.places and self._is_known(at)]
        rows = [row if isinstance(row, Divider) else [row[at] for at in kept] for row in self.rows]
        columns = [self.columns[at] for at in kept]
        return Table(self.key, self.title, columns, rows, self.note, self.shade, self.places)

    def count_name_columns(self) -> int:
        """The number of columns that name the rows: the first one where all are words."""
        return next((at for at, one in enumerate(self.columns) if one.kind != TEXT), 1)

    def _is_known(self, at: int) -> bool:
        rows = [row for row in self.rows if not isinstance(row, Divider)]
        return self.columns[at].kind == TEXT or not rows or any(is_known(row[at]) for row in rows)


def file_table(key: str, heads: Iterable[str], rows: Iterable[Row], place: str = FILES) -> Table:
    """All numbers, as they are, for files.

    Args:
        key: Of the table.
        heads: Keys of the columns.
        rows: As many cells each.
        place: `FILES`, or `RAW` where there are too many rows for JSON.
    """
    return Table(key, key, [Column(head) for head in heads], list(rows), places=(place,))


class Text(NamedTuple):
    """A text.

    Attributes:
        text: In words, without markup.
        kind: One of `TEXTS`.
        title: Of what is folded.
        places: Where it is shown, of `PLACES`; files have no texts.
    """

    text: str
    kind: str = PARAGRAPH
    title: str = ""
    places: tuple[str, ...] = PLACES


class Figure(NamedTuple):
    """A figure.

    Attributes:
        key: Name of its files.
        heading: What it shows.
        note: How to read it.
        figure: The figure itself.
        subject: Whom it shows, where others of the same heading show others.
        small: Whether a page sets it beside others.
    """

    key: str
    heading: str
    note: str
    figure: Drawing
    subject: str = ""
    small: bool = False


class Block(NamedTuple):
    """A part that only pages have, such as a list of links.

    Attributes:
        template: Name of a template in ``templates``.
        values: What the template reads.
    """

    template: str
    values: Mapping[str, Any] = {}


Part = Table | Figure | Text | Block


def method_section(*texts: str) -> list[Part]:
    """The section of a page that says how its numbers are made."""
    return [
        Text(text, kind, places=(PAGE,)) for text, kind in (("Method", HEADING), *((one, PARAGRAPH) for one in texts))
    ]


@dataclass(frozen=True)
class Section:
    """The parts below one heading."""

    heading: str
    parts: list[Part] = field(default_factory=list)


def sections(parts: Sequence[Part]) -> Iterator[Section]:
    """The parts by their headings; before the first heading there may be some without one."""
    current = Section("")
    for part in parts:
        if isinstance(part, Text) and part.kind == HEADING:
            if current.parts or current.heading:
                yield current
            current = Section(part.text)
        else:
            current.parts.append(part)
    if current.parts or current.heading:
        yield current


def no_interval_reason(value: Any) -> str:
    """Why an estimate has no interval, where that is known; empty for others."""
    inner = to_cell(value).value
    return getattr(inner, "no_interval_reason", "") if is_estimate(inner) and math.isnan(inner.low) else ""


def to_cell(value: Any) -> Cell:
    """The value as a cell."""
    return value if isinstance(value, Cell) else Cell(value)


def is_estimate(value: Any) -> TypeGuard[Estimate]:
    """Whether a value has an interval, be it one of NaN."""
    return hasattr(value, "low") and hasattr(value, "high")


def number_of(value: Any) -> float | None:
    """The number of a value, an estimate or a cell; None for texts and nothing."""
    value = to_cell(value).value
    value = value.mean if is_estimate(value) else value
    return None if value is None or isinstance(value, str) else float(value)


def is_known(value: Any) -> bool:
    """Whether there is something to show."""
    inner, number = to_cell(value).value, number_of(value)
    return bool(inner) if isinstance(inner, str) else number is not None and not math.isnan(number)


def write_value(column: Column, value: Any) -> str:
    """A value as terminals and pages show it, with its mark and without its interval."""
    cell = to_cell(value)
    if isinstance(cell.value, str):
        return sanitize_text(cell.value) + cell.mark
    if isinstance(cell.value, bool):
        return ("yes" if cell.value else "no") + cell.mark
    number = number_of(cell)
    column = column if cell.digits is None else replace(column, digits=cell.digits)
    return NOTHING if number is None or math.isnan(number) else write_number(column, number) + cell.mark


def write_number(column: Column, number: float) -> str:
    """A number of a column."""
    if math.isinf(number):
        return INFINITE if number > 0 else f"-{INFINITE}"
    if column.kind == SHARE:
        return format_percent(number)
    if column.kind == COUNT:
        return f"{number:,.0f}"
    if column.kind == MONEY:
        return f"${number:,.{2 if abs(number) >= 0.1 or not number else 4}f}"
    value, digits = (100 * number, 1) if column.kind == POINTS else (number, column.digits)
    sign = "+" if (column.signed or column.kind == POINTS) and round(value, digits) > 0 else ""
    return f"{sign}{round(value, digits) + 0.0:,.{digits}f}"  # no minus before a zero


def write_interval(column: Column, value: Any) -> str:
    """The interval of an estimate; empty where there is none, or none to be seen."""
    inner = to_cell(value).value
    if not is_estimate(inner) or math.isnan(inner.low):
        return ""
    if column.kind == NUMBER and not column.signed and max(abs(inner.low), abs(inner.high)) < 1000:
        return "" if inner.low == inner.high else format_interval(inner.low, inner.high)
    low, high = write_number(column, inner.low), write_number(column, inner.high)
    if low == high:
        return ""
    return f"{low} to {high}" if low.startswith(("+", "-")) else format_range(low, high)
