"""Tables as CSV, all written alike: plain line ends, and an empty cell for what is not defined."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any


def write_csv(path: str | Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Writes a table into a file, whose folder is made if it does not exist.

    Args:
        path: The file; replaced if it exists.
        heads: Names of the columns.
        rows: As many cells each; NaN is written as nothing.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, heads, rows)
    return path


def write_rows(file: IO[str], heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Writes a table into an open file, as `write_csv` does; returns the number of rows below the heads."""
    table, count = csv.writer(file, lineterminator="\n"), 0
    table.writerow(heads)
    for count, row in enumerate(rows, start=1):  # noqa: B007
        table.writerow([_cell(value) for value in row])
    return count


def _cell(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value
