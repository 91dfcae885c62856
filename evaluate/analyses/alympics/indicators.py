"""Tables of indicators of the ALYMPICS games: every number in a row of its own for files, side by side for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.evaluate.show.parts import COUNT, READER_PLACES, Cell, Column, Table, file_table, is_known
from econzoo.evaluate.stats.intervals import Interval

INTERVALS = "95% intervals over games: Wilson's for shares of games, Student's t for all others."
ITALICS = "What others have published is in italics on pages."

MARK = "*"
RECOUNTED_NOTE = f"{MARK} Counted from the published games; the paper does not print it."
"""What the mark behind a number means."""

GAMES = Column("games", kind=COUNT)
FILE_COLUMNS = ("published", "recounted", "indicator", "value", "low", "high", "games")
"""Columns for files after those that name a row."""


class Row(NamedTuple):
    """A row.

    Attributes:
        names: What the row is about, one for each of the table's first columns.
        games: How many it is made of.
        cells: By the keys of the columns; what is not there is not defined.
        is_published: Whether it shows numbers that others have published.
        recounted_keys: Keys of the cells among these that others have not published, but that follow from their data.
    """

    names: tuple[str, ...]
    games: int
    cells: Mapping[str, Interval]
    is_published: bool = False
    recounted_keys: frozenset[str] = frozenset()


def indicator_tables(
    key: str, key_columns: Sequence[Column], rows: Sequence[Row], columns_by_title: Mapping[str, Sequence[Column]]
) -> list[Table]:
    """Tables of the same rows.

    Args:
        key: Of their files.
        key_columns: Columns that name a row.
        rows: See `Row`.
        columns_by_title: Title to the columns of each table for people.
    """
    columns = [column for some in columns_by_title.values() for column in some]
    made = [file_table(key, [*(one.key for one in key_columns), *FILE_COLUMNS], _file_rows(rows, columns))]
    for at, (title, some) in enumerate(columns_by_title.items()):
        if any(is_known(row.cells.get(column.key)) for row in rows for column in some):
            end = f"_{at + 1}" if at else ""
            lines = [_line(row, some) for row in rows]
            note = _note(rows, some)
            made.append(Table(f"{key}{end}", title, [*key_columns, GAMES, *some], lines, note, places=READER_PLACES))
    return made


def _line(row: Row, columns: Sequence[Column]) -> list[Any]:
    cells = [
        Cell(row.cells.get(one.key), MARK if one.key in row.recounted_keys else "", italic=row.is_published)
        for one in columns
    ]
    return [*(Cell(name, italic=row.is_published) for name in row.names), row.games, *cells]


def _note(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    marked = {column.key for column in columns} & {key for row in rows for key in row.recounted_keys}
    said = [ITALICS] * any(row.is_published for row in rows) + [RECOUNTED_NOTE] * bool(marked)
    return " ".join([INTERVALS, *said])


def _file_rows(rows: Sequence[Row], columns: Sequence[Column]) -> Iterator[list[Any]]:
    for row in rows:
        for column in columns:
            if is_known(found := row.cells.get(column.key)) and found is not None:
                yield [*row.names, row.is_published, column.key in row.recounted_keys, column.key, *found]
