"""Payoff matrices as CSV: one row per pair, or a square matrix with names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.envs.core import read_csv_rows
from econzoo.envs.core.contract import short_repr
from econzoo.evaluate.analyses.evolution.payoff_matrix import ARRAYS, MAX_PAYOFF, PayoffMatrix, matrix_from_payoffs
from econzoo.evaluate.show import Table, csv_of, file_table, plain_text, write_csv

PAIR_COLUMNS = ("type", "opponent", "payoff")
"""First columns of a file of pairs."""

MIN_NUMBER = 1e-100
"""Smallest absolute value of numbers other than 0, as differences of smaller ones underflow in divisions."""

ERROR_COLUMNS = ("error", "skewness")
EXTRA_COLUMNS = (*ERROR_COLUMNS, *ARRAYS[2:])
"""Optional columns of a file of pairs; default 0."""

INTERVAL_COLUMNS = ("low", "high")
"""Columns with the 95% interval of the payoff, which are written but not read."""


def pair_table(found: PayoffMatrix, key: str = "payoffs") -> Table:
    """Return a file table with one row per pair."""
    n = range(len(found))
    numbers = [*(np.broadcast_to(getattr(found, name), found.mean.shape) for name in EXTRA_COLUMNS), *found.interval]
    rows = [
        (found.types[i], found.types[j], float(found.mean[i, j]), *(one[i, j].item() for one in numbers))
        for i in n
        for j in n
    ]
    return file_table(key, (*PAIR_COLUMNS, *EXTRA_COLUMNS, *INTERVAL_COLUMNS), rows)


def write_matrix_file(found: PayoffMatrix, path: Path) -> Path:
    """Write a file with one row per pair."""
    return write_csv(path, *csv_of(pair_table(found)))


def read_matrix_file(path: str | Path) -> PayoffMatrix:
    """Read a matrix from a CSV: ``type,opponent,payoff[,error,...]``, or a square with a row and a column of names.

    Payoffs of a square are exact: the row type's payoff against the column type per round.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder: expected a CSV file")
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    rows = _rows(path)
    if not rows:
        raise ValueError(f"{path}: empty file: expected columns {','.join(PAIR_COLUMNS)} or a square of payoffs")
    _check_commas(path, rows[0][1])
    try:
        return _pairs(path, rows) if tuple(rows[0][1][: len(PAIR_COLUMNS)]) == PAIR_COLUMNS else _square(path, rows)
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(str(path)) else f"{path}: {message}") from None


Rows = Sequence[tuple[int, list[str]]]
"""Line number, 1-based, and cells of each row."""


def _rows(path: Path) -> Rows:
    rows = ((line, [plain_text(cell.strip()) for cell in row]) for line, row in read_csv_rows(path))
    return [(line, row) for line, row in rows if any(row)]


def _check_commas(path: Path, heads: Sequence[str]) -> None:
    """Raise `ValueError` if the first line is one cell, as with a separator other than a comma."""
    if len(heads) == 1:
        expected = f"{','.join(PAIR_COLUMNS)} or a square of payoffs, separated by commas"
        raise ValueError(f"{path}, line 1: only one column {short_repr(heads[0])}: expected {expected}")


def _pairs(path: Path, rows: Rows) -> PayoffMatrix:
    heads = rows[0][1]
    for at, head in enumerate(heads):
        if head not in (*PAIR_COLUMNS, *EXTRA_COLUMNS, *INTERVAL_COLUMNS) or head in heads[:at]:
            raise ValueError(
                f"{path}, line 1: invalid column {short_repr(head)}: expected each once of "
                f"{','.join((*PAIR_COLUMNS, *EXTRA_COLUMNS))}"
            )
    types = list(dict.fromkeys(name for _, row in rows[1:] for name in row[:2]))
    n = len(types)
    found = {
        head: np.full((n, n), math.nan if head == "payoff" else 0.0) for head in (*PAIR_COLUMNS[2:], *EXTRA_COLUMNS)
    }
    seen: set[tuple[int, int]] = set()
    for line, row in rows[1:]:
        if len(row) != len(heads):
            raise ValueError(f"{path}, line {line}: {len(row)} cells: expected {len(heads)}, as in the first line")
        pair = types.index(row[0]), types.index(row[1])
        if pair in seen:
            raise ValueError(f"{path}, line {line}: duplicate pair {short_repr(row[0])}, {short_repr(row[1])}")
        seen.add(pair)
        for head, cell in list(zip(heads, row, strict=True))[2:]:
            if head not in INTERVAL_COLUMNS:
                found[head][pair] = _number(path, line, head, cell)
    counts: dict[str, Any] = {head: found[head].astype(int) for head in EXTRA_COLUMNS[len(ERROR_COLUMNS) :]}
    return PayoffMatrix(tuple(types), found["payoff"], found["error"], **counts, skewness=found["skewness"])


def _square(path: Path, rows: Rows) -> PayoffMatrix:
    types = rows[0][1][1:]
    if len(rows) - 1 != len(types):
        raise ValueError(f"{path}: {len(types)} columns and {len(rows) - 1} rows of payoffs: expected equal numbers")
    mean = np.zeros((len(types), len(types)))
    for at, (line, row) in enumerate(rows[1:]):
        if row[0] != types[at]:
            raise ValueError(
                f"{path}, line {line}: invalid row name {short_repr(row[0])}: expected "
                f"{short_repr(types[at])}, as its column"
            )
        if len(row) != len(types) + 1:
            raise ValueError(f"{path}, line {line}: {len(row) - 1} payoffs: expected {len(types)}")
        mean[at] = [_number(path, line, "payoff", cell) for cell in row[1:]]
    return matrix_from_payoffs(types, mean)


def _number(path: Path, line: int, head: str, cell: str) -> float:
    """Parse a number of the column `head`; an empty error is NaN."""
    if cell == "" and head == "error":
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    is_count = head in EXTRA_COLUMNS[len(ERROR_COLUMNS) :]
    low = -MAX_PAYOFF if head in ("payoff", "skewness") else 0.0
    invalid = f"{path}, line {line}: invalid {head} {short_repr(cell[:40])}"
    if not low <= value <= MAX_PAYOFF or (is_count and value != int(value)):
        raise ValueError(
            f"{invalid}: expected {'an integer' if is_count else 'a number'} from {low:g} to {MAX_PAYOFF:g}"
        )
    if 0 < abs(value) < MIN_NUMBER:
        raise ValueError(f"{invalid}: expected 0, or at least {MIN_NUMBER:g}")
    return value
