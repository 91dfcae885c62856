"""A table of indicators: as text for a terminal, as CSV, and as LaTeX for the package ``booktabs``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.evaluate.show import console
from econzoo.evaluate.show import numbers as formats
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.escapes import in_latex
from econzoo.evaluate.show.numbers import plain_estimates
from econzoo.evaluate.stats.intervals import Interval

LONG = ("indicator", "value", "low", "high", "games")
"""Columns of the CSV after those that name a row."""

INTERVALS = "95% intervals over games: Wilson's for shares of games, Student's t for all others."
ITALICS = "What others have published is in italics."

BESIDE = 7
"""Columns that a page has room for, with their intervals."""

INFINITE = "\u221e"
PUBLISHED = "published"
"""Whether numbers are what others have published, in CSV and JSON."""

IN_PAPER = "in the paper"
"""Stands for the names of rows with published numbers in a terminal."""

RECOUNTED, MARK = "recounted", "*"
COUNTED = f"{MARK} Counted from the published games; the paper does not print it"
"""What the mark behind a number means."""


class Column(NamedTuple):
    """An indicator.

    Attributes:
        key: Name in CSV and JSON.
        head: Heading.
        digits: After the point.
        percent: Whether it is a part of 1, shown as a percentage.
        meaning: In a few words.
        binary: Whether it is 0 or 1 in each game.
    """

    key: str
    head: str
    digits: int = 2
    percent: bool = False
    meaning: str = ""
    binary: bool = False


class Row(NamedTuple):
    """A row.

    Attributes:
        names: What the row is about, one for each of the table's first columns.
        games: How many it is made of.
        cells: By the keys of the columns; what is not there is not defined.
        published: Whether it shows numbers that others have published.
        recounted: Keys of the cells among these that others have not published, but that follow from their data.
    """

    names: tuple[str, ...]
    games: int
    cells: dict[str, Interval]
    published: bool = False
    recounted: frozenset[str] = frozenset()

    def text(self, column: Column) -> str:
        """The estimate with its mark, or a dash."""
        mark = MARK if column.key in self.recounted else ""
        return text(self.cells.get(column.key), column) + mark


@dataclass(frozen=True)
class IndicatorTable:
    """A table.

    Attributes:
        title: Heading.
        firsts: Headings of the columns that name a row.
        columns: Indicators.
        rows: See `Row`.
    """

    title: str
    firsts: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: list[Row] = field(default_factory=list)

    def shown(self) -> list[Column]:
        """The columns that are defined in at least one row."""
        return [one for one in self.columns if any(_known(row.cells.get(one.key)) for row in self.rows)]

    def parts(self) -> list[list[Column]]:
        """The shown columns, in two parts if there are too many to stand beside each other: shares, then the others."""
        columns = self.shown()
        if len(columns) <= BESIDE:
            return [columns]
        return [[one for one in columns if one.percent], [one for one in columns if not one.percent]]

    @property
    def note(self) -> str:
        """What the numbers are."""
        meanings = dict.fromkeys(column.meaning for column in self.shown() if column.meaning)
        meanings |= {COUNTED: None} if any(row.recounted for row in self.rows) else {}
        return "".join(f"{meaning}. " for meaning in meanings).strip()

    @property
    def intervals(self) -> str:
        """What the small numbers are, and those in italics."""
        return f"{INTERVALS} {ITALICS}" if any(row.published for row in self.rows) else INTERVALS

    def own(self) -> list[Row]:
        """The rows that were played, not published."""
        return [row for row in self.rows if not row.published]


def _known(found: Interval | None) -> bool:
    return found is not None and not math.isnan(found.mean)


def text(found: Interval | None, column: Column) -> str:
    """The estimate, or a dash."""
    return formats.NOTHING if found is None else number(found.mean, column)


def span(found: Interval | None, column: Column) -> str:
    """The interval; empty where there is none, or none to be seen."""
    if found is None or math.isnan(found.low):
        return ""
    low, high = number(found.low, column), number(found.high, column)
    return "" if low == high else formats.between(low, high)


def number(value: float, column: Column) -> str:
    """A number, a dash for NaN, a sign for infinity."""
    if value == math.inf:
        return INFINITE
    return formats.percent(value) if column.percent else formats.number(value, column.digits)


# Terminal

WIDTH, NAMES = 80, 26
"""Characters of a line, and of the names before the numbers."""


def for_terminal(table: IndicatorTable) -> list[Any]:
    """The estimates without their intervals, for which a terminal has no room: as many tables as it takes."""
    names = _terminal_names(table)
    room = WIDTH - min(max(map(len, names), default=0), NAMES) - len("games") - 2
    made, at, columns = [], 0, table.shown()
    while at < len(columns):
        chosen = _fitting(table, columns[at:], room)
        heads = ["", "games", *(column.head for column in chosen)]
        rows = [[name, str(row.games), *map(row.text, chosen)] for name, row in zip(names, table.rows, strict=True)]
        made.append(console.table(table.title if at == 0 else "", heads, rows))
        at += len(chosen)
    return [*made, table.note]


def _terminal_names(table: IndicatorTable) -> list[str]:
    """What the rows are about, without what is the same in all of them."""
    differ = [len({row.names[at] for row in table.own()}) > 1 for at in range(len(table.firsts))]
    told = [" ".join(name for name, shown in zip(row.names, differ, strict=True) if shown) for row in table.rows]
    return [
        f"  {IN_PAPER}" if row.published else name or row.names[0] for row, name in zip(table.rows, told, strict=True)
    ]


def _fitting(table: IndicatorTable, columns: Sequence[Column], room: int) -> Sequence[Column]:
    """The first columns, at least one, that stand beside each other."""
    for count, column in enumerate(columns):
        room -= 2 + max(len(column.head), *(len(row.text(column)) for row in table.rows))
        if room < 0 and count:
            return columns[:count]
    return columns


# Files


def to_csv(table: IndicatorTable, path: Path) -> Path:
    """Every number of the table in a row of its own."""
    heads = [*(name.replace(" ", "_") for name in table.firsts), PUBLISHED, RECOUNTED, *LONG]
    return write_csv(path, heads, list(_long(table)))


def _long(table: IndicatorTable) -> Iterable[Sequence[Any]]:
    for row in table.rows:
        for column in table.columns:
            if _known(found := row.cells.get(column.key)):
                assert found is not None
                whose = int(row.published), int(column.key in row.recounted)
                yield *row.names, *whose, column.key, found.mean, found.low, found.high, found.rows


def to_dict(table: IndicatorTable) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [
        {
            **dict(zip(table.firsts, row.names, strict=True)),
            PUBLISHED: row.published,
            **({RECOUNTED: sorted(row.recounted)} if row.recounted else {}),
            "games": row.games,
            **plain_estimates(row.cells),
        }
        for row in table.rows
    ]


def to_latex(table: IndicatorTable, label: str) -> str:
    """The table, estimates above their intervals."""
    heads = [*table.firsts, "games"]
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        f"\\caption{{{in_latex(f'{table.title}. {table.note} {table.intervals}')}}}",
        f"\\label{{tab:{label}}}",
    ]
    for columns in table.parts():
        lines += [
            "\\begin{tabular}{" + "l" * len(table.firsts) + "r" * (1 + len(columns)) + "}",
            "\\toprule",
            " & ".join(map(in_latex, [*heads, *(column.head for column in columns)])) + " \\\\",
            "\\midrule",
            *(line for row in table.rows for line in _latex_rows(row, columns, len(table.firsts))),
            "\\bottomrule",
            "\\end{tabular}\n",
        ]
    return "\n".join([*lines, "\\end{table}", ""])


def _latex_rows(row: Row, columns: Sequence[Column], firsts: int) -> list[str]:
    names = [f"\\textit{{{in_latex(name)}}}" if row.published else in_latex(name) for name in row.names]
    cells = [_latex_number(row.text(column)) for column in columns]
    spans = [span(row.cells.get(column.key), column) for column in columns]
    lines = [" & ".join([*names, str(row.games), *cells]) + " \\\\"]
    if any(spans):
        lines.append(" & ".join([*[""] * (firsts + 1), *map(_latex_span, spans)]) + " \\\\")
    return lines


def _latex_number(shown: str) -> str:
    return "--" if shown == formats.NOTHING else f"${_math(shown)}$"


def _latex_span(span: str) -> str:
    return f"{{\\scriptsize ${_math(span)}$}}" if span else ""


def _math(text: str) -> str:
    """A number or an interval as it stands between dollar signs."""
    marked = text.replace(MARK, f"^{MARK}")
    return marked.replace("\u2013", "$--$").replace(INFINITE, "\\infty").replace("%", "\\%")
