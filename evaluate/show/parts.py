"""Parts of an analysis: tables, figures and texts.

    from econzoo.evaluate.show import TEXT, Column, Table

    Table("ranking", "Ranking", [Column("player", kind=TEXT), Column("self_gain", "gain")], [["fair", 0.5]])

A column declares the kind of its values; a renderer (terminal, page, CSV, JSON, LaTeX) formats each kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import NOTHING, format_interval, format_percent, format_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["Cell", "Column", "Divider", "Figure", "Table", "Text"]

TEXT, NUMBER, COUNT, SHARE, POINTS, MONEY = KINDS = ("text", "number", "count", "share", "points", "money")
"""Kinds of columns: text; real numbers; integers; fractions, shown as percentages; differences of fractions, in
percentage points; US dollars."""

TERMINAL, PAGE, FILES = PLACES = ("terminal", "page", "files")
"""Places of a part; files are CSV and JSON (LaTeX uses the tables of pages)."""

READER_PLACES = (TERMINAL, PAGE)
"""Places with tables for reading; files have separate tables."""

RAW = "raw"
"""Place of tables in CSV only: underlying data with too many rows for JSON."""

HEADING, SUBHEADING, PARAGRAPH, NOTE, WARNING, FOLDED = TEXTS = (
    "heading",
    "subheading",
    "paragraph",
    "note",
    "warning",
    "folded",
)
"""Kinds of texts; a heading starts a section, and a folded text is collapsed on pages and shown nowhere else."""

INFINITE = "\u221e"


class Estimate(Protocol):
    """An estimate with an interval, such as `econzoo.evaluate.stats.intervals.Interval`; NaN where undefined."""

    @property
    def mean(self) -> float:
        """Point estimate."""

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
        digits: Decimals of numbers.
        signed: Whether positive numbers have a plus sign.
        show_interval: Whether terminals show intervals too.
        meaning: Explanation added to the table's note; empty: none.
        bar: Whether pages draw the estimates as bars from 0 to 1.
        places: Places of the column, a subset of `PLACES`.
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
        """Heading."""
        return self.head or self.key.replace("_", " ")


class Cell(NamedTuple):
    """A value with annotations.

    Attributes:
        value: Text, number, estimate or None.
        mark: Mark after the value, such as ``"*"``.
        tip: Tooltip on pages.
        link: Link target on pages.
        italic: Whether the value is italic, such as a published number.
        digits: Decimals, if different from the column's.
    """

    value: Any
    mark: str = ""
    tip: str = ""
    link: str = ""
    italic: bool = False
    digits: int | None = None


class Divider(NamedTuple):
    """A heading within a table; in files the column ``group`` of the rows below.

    Attributes:
        text: Heading.
        detail: Secondary text after the heading.
    """

    text: str
    detail: str = ""


Row = Sequence[Any]
"""One value, estimate or `Cell` per column."""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        key: Name of its files, and key in JSON.
        title: Heading.
        columns: Columns; leading text columns label the rows (only the first one, if all columns are text).
        rows: Rows and dividers.
        note: Explanation; meanings of columns are added.
        shade: Cell colours on pages: ``"upwards"`` (sequential from 0), ``"around"`` (diverging at 0), or empty.
        places: Places of the table, of `PLACES` and `RAW`.
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

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return _page_of(self, self.title)

    @property
    def sentences(self) -> list[str]:
        """The note and the meanings of the columns."""
        meanings = dict.fromkeys(one.meaning for one in self.columns if one.meaning)
        return [*([self.note] if self.note else []), *(f"{meaning.removesuffix('.')}." for meaning in meanings)]

    @property
    def legend(self) -> str:
        """The note and the meanings as one text."""
        return " ".join(self.sentences)

    def restrict_to(self, place: str) -> Table:
        """The table with the columns that have this place and at least one value."""
        indices = [at for at, one in enumerate(self.columns) if place in one.places and self._is_known(at)]
        rows = [row if isinstance(row, Divider) else [row[at] for at in indices] for row in self.rows]
        columns = [self.columns[at] for at in indices]
        return Table(self.key, self.title, columns, rows, self.note, self.shade, self.places)

    def count_name_columns(self) -> int:
        """Number of columns that label the rows (1 if all columns are text)."""
        return next((at for at, one in enumerate(self.columns) if one.kind != TEXT), 1)

    def _is_known(self, at: int) -> bool:
        rows = [row for row in self.rows if not isinstance(row, Divider)]
        return self.columns[at].kind == TEXT or not rows or any(is_known(row[at]) for row in rows)


def file_table(key: str, heads: Iterable[str], rows: Iterable[Row], place: str = FILES) -> Table:
    """Table of unformatted numbers for files; place `RAW` if there are too many rows for JSON."""
    return Table(key, key, [Column(head) for head in heads], list(rows), places=(place,))


class Text(NamedTuple):
    """A text.

    Attributes:
        text: Plain text.
        kind: One of `TEXTS`.
        title: Title of a folded text.
        places: Places of the text, of `PLACES`; files have no texts.
    """

    text: str
    kind: str = PARAGRAPH
    title: str = ""
    places: tuple[str, ...] = PLACES


class Figure(NamedTuple):
    """A figure.

    Attributes:
        key: Name of its files.
        heading: Heading.
        note: Explanation.
        figure: Matplotlib figure.
        subject: Subject that distinguishes figures with the same heading.
        small: Whether a page places it beside others.
    """

    key: str
    heading: str
    note: str
    figure: Drawing
    subject: str = ""
    small: bool = False

    def _repr_html_(self) -> str:
        """The figure in a notebook."""
        return _page_of(self, self.heading)


def _page_of(part: Table | Figure, title: str) -> str:
    # By name, since pages are made of these parts.
    page = import_module("econzoo.evaluate.show.page").Page(part.key, title, [part])
    return str(page._repr_html_())


class Block(NamedTuple):
    """A part of pages only, such as a list of links: a template in ``templates`` and its values."""

    template: str
    values: Mapping[str, Any] = {}


Part = Table | Figure | Text | Block


def method_section(*texts: str) -> list[Part]:
    """Section of a page that describes the method."""
    return [
        Text(text, kind, places=(PAGE,)) for text, kind in (("Method", HEADING), *((one, PARAGRAPH) for one in texts))
    ]


@dataclass(frozen=True)
class Section:
    """Parts below one heading."""

    heading: str
    parts: list[Part] = field(default_factory=list)


def sections(parts: Sequence[Part]) -> Iterator[Section]:
    """Group parts by heading; parts ahead of the first heading have an empty one."""
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
    """Reason why an estimate has no interval, if known; else empty."""
    inner = to_cell(value).value
    return getattr(inner, "no_interval_reason", "") if is_estimate(inner) and math.isnan(inner.low) else ""


def to_cell(value: Any) -> Cell:
    return value if isinstance(value, Cell) else Cell(value)


def is_estimate(value: Any) -> TypeGuard[Estimate]:
    """Whether a value has an interval, NaN included."""
    return hasattr(value, "low") and hasattr(value, "high")


def number_of(value: Any) -> float | None:
    """Number of a value, estimate or cell; None for texts and None."""
    value = to_cell(value).value
    value = value.mean if is_estimate(value) else value
    return None if value is None or isinstance(value, str) else float(value)


def is_known(value: Any) -> bool:
    """Whether a value is neither empty nor NaN."""
    inner, number = to_cell(value).value, number_of(value)
    return bool(inner) if isinstance(inner, str) else number is not None and not math.isnan(number)


def write_value(column: Column, value: Any) -> str:
    """Format a value for terminals and pages, with its mark and without its interval."""
    cell = to_cell(value)
    if isinstance(cell.value, str):
        return sanitize_text(cell.value) + cell.mark
    if isinstance(cell.value, bool):
        return ("yes" if cell.value else "no") + cell.mark
    number = number_of(cell)
    column = column if cell.digits is None else replace(column, digits=cell.digits)
    return NOTHING if number is None or math.isnan(number) else write_number(column, number) + cell.mark


def write_number(column: Column, number: float) -> str:
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
    return f"{sign}{round(value, digits) + 0.0:,.{digits}f}"  # no minus with a zero


def write_interval(column: Column, value: Any) -> str:
    """Format the interval of an estimate; empty if undefined or of zero width after rounding."""
    inner = to_cell(value).value
    if not is_estimate(inner) or math.isnan(inner.low):
        return ""
    # Large and signed numbers keep the format of their column, with separators or a plus sign.
    if column.kind == NUMBER and not column.signed and max(abs(inner.low), abs(inner.high)) < 1000:
        return "" if inner.low == inner.high else format_interval(inner.low, inner.high)
    low, high = write_number(column, inner.low), write_number(column, inner.high)
    if low == high:
        return ""
    return f"{low} to {high}" if low.startswith(("+", "-")) else format_range(low, high)
