"""Tables of indicators of the ALYMPICS games: in long format for files, in wide format for display."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.evaluate.show import COUNT, READER_PLACES, Cell, Column, Table, file_table, is_known
from econzoo.evaluate.stats import Interval

INTERVALS = "95% intervals over games: Wilson's for shares of games, Student's t for all others."
ITALICS = "Published numbers are in italics on pages."

MARK = "*"
RECOUNTED_NOTE = f"{MARK} Computed from the published games; not printed in the paper."
"""Meaning of the mark after a number."""

GAMES = Column("games", kind=COUNT)
FILE_COLUMNS = ("published", "recounted", "indicator", "value", "low", "high", "games")
"""Columns of files after the key columns."""


class Row(NamedTuple):
    """A row of indicators: ours, or published ones.

    Attributes:
        cells: Column key to value; missing if undefined.
        recounted_keys: Keys of cells that were computed from published data, not printed.
    """

    names: tuple[str, ...]
    games: int
    cells: Mapping[str, Interval]
    is_published: bool = False
    recounted_keys: frozenset[str] = frozenset()


def indicator_tables(
    key: str, key_columns: Sequence[Column], rows: Sequence[Row], columns_by_title: Mapping[str, Sequence[Column]]
) -> list[Table]:
    """Build a file table and the displayed tables of rows."""
    columns = [column for own in columns_by_title.values() for column in own]
    tables = [file_table(key, [*(one.key for one in key_columns), *FILE_COLUMNS], _file_rows(rows, columns))]
    for at, (title, own) in enumerate(columns_by_title.items()):
        if any(is_known(row.cells.get(column.key)) for row in rows for column in own):
            end = f"_{at + 1}" if at else ""
            lines = [_line(row, own) for row in rows]
            note = _note(rows, own)
            tables.append(Table(f"{key}{end}", title, [*key_columns, GAMES, *own], lines, note, places=READER_PLACES))
    return tables


def _line(row: Row, columns: Sequence[Column]) -> list[Any]:
    cells = [
        Cell(row.cells.get(one.key), MARK if one.key in row.recounted_keys else "", italic=row.is_published)
        for one in columns
    ]
    return [*(Cell(name, italic=row.is_published) for name in row.names), row.games, *cells]


def _note(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    marked = {column.key for column in columns} & {key for row in rows for key in row.recounted_keys}
    notes = [ITALICS] * any(row.is_published for row in rows) + [RECOUNTED_NOTE] * bool(marked)
    return " ".join([INTERVALS, *notes])


def _file_rows(rows: Sequence[Row], columns: Sequence[Column]) -> Iterator[list[Any]]:
    for row in rows:
        for column in columns:
            if is_known(cell := row.cells.get(column.key)) and cell is not None:
                yield [*row.names, row.is_published, column.key in row.recounted_keys, column.key, *cell]
