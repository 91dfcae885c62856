"""Tables as CSV, all written alike: plain line ends, and an empty cell for what is not defined.

Spreadsheets take a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and compute it, and texts in tables
(names of players and types, above all) come from anywhere. So such a text is written with an apostrophe before it and
is text in a spreadsheet; numbers stay numbers, in whatever form. `plain_text` takes the apostrophe away again.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from econzoo.envs.core.files import append_file, atomic_write


def write_csv(path: str | Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Writes a table into a file, whose folder is made if it does not exist.

    Args:
        path: The file; replaced if it exists.
        heads: Names of the columns.
        rows: As many cells each; NaN is written as nothing.
    """
    with atomic_write(path) as part, part.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        write_rows(file, heads, rows)
    return Path(path)


def write_rows(file: IO[str], heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Writes a table into an open file, as `write_csv` does; returns the number of rows below the heads."""
    add_rows(file, [heads])
    return add_rows(file, rows)


def add_rows(file: IO[str], rows: Iterable[Sequence[Any]]) -> int:
    """Writes further rows of a table into an open file; returns their number."""
    table, count = csv.writer(file, lineterminator="\n"), 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        table.writerow([_cell(value) for value in row])
    return count


def append_rows(path: str | Path, rows: Iterable[Sequence[Any]]) -> None:
    """Writes further rows of a table to the end of a file, all of them or none."""
    text = io.StringIO()
    add_rows(text, rows)
    append_file(path, text.getvalue())


def add_columns(file: IO[str], columns: Sequence[Sequence[Any]]) -> None:
    """Writes further rows of a table, given by their columns, as `add_rows` does; true and false are 1 and 0.

    Args:
        file: Open for text.
        columns: Values, none of them NaN; None for nothing.
    """
    csv.writer(file, lineterminator="\n").writerows(zip(*map(_cells, columns), strict=True))


def _cells(values: Sequence[Any]) -> Sequence[Any]:
    """The cells of a column; of equal texts one is looked at."""
    types = {*map(type, values)} - {type(None)}
    if types <= {int, float}:
        return values
    if types == {str}:
        made = {value: _cell(value) for value in {*values}}
        return [made[value] for value in values]
    return [int(value) if isinstance(value, bool) else _cell(value) for value in values]


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return escape_formula(value)
    return "" if isinstance(value, float) and math.isnan(value) else value


_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def escape_formula(text: str) -> str:
    """A text as the cell of a table that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def plain_text(cell: str) -> str:
    """The text that `escape_formula` made this cell of; any other cell is its own text."""
    return cell[1:] if cell.startswith("'") and escape_formula(cell[1:]) == cell else cell


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in row)} |"
