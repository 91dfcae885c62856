"""Tables as CSV with LF line ends and empty cells for undefined values.

Spreadsheets evaluate a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, and texts in tables (such as
names of players) are untrusted. Such texts are therefore written with a leading apostrophe; numbers are not.
`plain_text` removes the apostrophe.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from econzoo.envs.core import append_file, atomic_write


def write_csv(path: str | Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Write a table to a file; its folder is created if missing.

    Args:
        rows: Rows with one cell per column; NaN becomes an empty cell.
    """
    # Texts may contain half a surrogate pair, which UTF-8 cannot encode; it is written as its escape.
    with atomic_write(path) as part, part.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        write_rows(file, heads, rows)
    return Path(path)


def write_rows(file: IO[str], heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write a table to an open file; return the number of rows without the header."""
    add_rows(file, [heads])
    return add_rows(file, rows)


def add_rows(file: IO[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write rows to an open file; return their number."""
    table, count = csv.writer(file, lineterminator="\n"), 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        table.writerow([_cell(value) for value in row])
    return count


def append_rows(path: str | Path, rows: Iterable[Sequence[Any]]) -> None:
    """Append rows to a file, all or none."""
    text = io.StringIO()
    add_rows(text, rows)
    append_file(path, text.getvalue())


def add_columns(file: IO[str], columns: Sequence[Sequence[Any]]) -> None:
    """Write rows given as columns to an open file; booleans become 1 and 0.

    Args:
        columns: Values without NaN; None becomes an empty cell.
    """
    csv.writer(file, lineterminator="\n").writerows(zip(*map(_cells, columns), strict=True))


def _cells(values: Sequence[Any]) -> Sequence[Any]:
    """Cells of a column; equal texts are escaped once, as a long column has few distinct ones."""
    types = {*map(type, values)} - {type(None)}
    if types <= {int, float}:
        return values
    if types == {str}:
        cells = {value: _cell(value) for value in {*values}}
        return [cells[value] for value in values]
    return [int(value) if isinstance(value, bool) else _cell(value) for value in values]


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return escape_formula(value)
    return "" if isinstance(value, float) and math.isnan(value) else value


# Apostrophes ahead of a sign are escaped too: else `plain_text` would remove one that belongs to the text. The last
# four signs are the full-width forms, which some spreadsheets read alike.
_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def escape_formula(text: str) -> str:
    """Return a text with an apostrophe in front if a spreadsheet would read it as a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def plain_text(cell: str) -> str:
    """Invert `escape_formula`; other cells are unchanged."""
    return cell[1:] if cell.startswith("'") and escape_formula(cell[1:]) == cell else cell


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in row)} |"
