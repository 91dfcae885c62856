"""Payoff matrices as CSV: one row for each pair as `write` writes it, or a square as one writes it by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.files import read_csv_rows
from econzoo.evaluate.analyses.evolution.payoff_matrix import ARRAYS, MAX_PAYOFF, PayoffMatrix, matrix_from_payoffs
from econzoo.evaluate.show.csv_files import plain_text, write_csv
from econzoo.evaluate.show.files import csv_of
from econzoo.evaluate.show.parts import Table, file_table

PAIR_COLUMNS = ("type", "opponent", "payoff")
"""Columns that every file of pairs begins with."""

MIN_NUMBER = 1e-100
"""Numbers other than 0 are at least this large in size: differences of smaller ones cannot be divided by."""

ERROR_COLUMNS = ("error", "skewness")
EXTRA_COLUMNS = (*ERROR_COLUMNS, *ARRAYS[2:])
"""Further columns of a file of pairs; they may be left out, then they are 0."""

INTERVAL_COLUMNS = ("low", "high")
"""Columns with the 95% interval of the payoff, which are written for others and not read."""


def pair_table(found: PayoffMatrix, key: str = "payoffs") -> Table:
    """One row for each pair, for files."""
    n = range(len(found))
    numbers = [*(np.broadcast_to(getattr(found, name), found.mean.shape) for name in EXTRA_COLUMNS), *found.interval]
    rows = [
        (found.types[i], found.types[j], float(found.mean[i, j]), *(one[i, j].item() for one in numbers))
        for i in n
        for j in n
    ]
    return file_table(key, (*PAIR_COLUMNS, *EXTRA_COLUMNS, *INTERVAL_COLUMNS), rows)


def write_matrix_file(found: PayoffMatrix, path: Path) -> Path:
    """Writes one row for each pair."""
    return write_csv(path, *csv_of(pair_table(found)))


def read_matrix_file(path: str | Path) -> PayoffMatrix:
    """A matrix from a CSV: ``type,opponent,payoff[,error,...]``, or a square with a row and a column of names.

    In a square the payoffs are exact: the row type's payoff against the column type per round.

    Raises:
        FileNotFoundError: No such file.
        ValueError: The file is not of either form; the message names the line.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; allowed: a CSV file")
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    rows = _rows(path)
    if not rows:
        raise ValueError(f"{path}: the file is empty; allowed: {','.join(PAIR_COLUMNS)} or a square of payoffs")
    _check_commas(path, rows[0][1])
    try:
        return _pairs(path, rows) if tuple(rows[0][1][: len(PAIR_COLUMNS)]) == PAIR_COLUMNS else _square(path, rows)
    except ValueError as error:
        told = str(error)
        raise ValueError(told if told.startswith(str(path)) else f"{path}: {told}") from None


Rows = Sequence[tuple[int, list[str]]]
"""Number of the line, 1-based, and its cells."""


def _rows(path: Path) -> Rows:
    rows = ((line, [plain_text(cell.strip()) for cell in row]) for line, row in read_csv_rows(path))
    return [(line, row) for line, row in rows if any(row)]


def _check_commas(path: Path, heads: Sequence[str]) -> None:
    """Raises `ValueError` if the first line is one cell, as it is where something else separates columns."""
    if len(heads) == 1:
        allowed = f"allowed: {','.join(PAIR_COLUMNS)} or a square of payoffs, with commas between the columns"
        raise ValueError(f"{path}, line 1: there is one column, {short_repr(heads[0])}; {allowed}")


def _pairs(path: Path, rows: Rows) -> PayoffMatrix:
    heads = rows[0][1]
    for at, head in enumerate(heads):
        if head not in (*PAIR_COLUMNS, *EXTRA_COLUMNS, *INTERVAL_COLUMNS) or head in heads[:at]:
            raise ValueError(
                f"{path}, line 1: the column {short_repr(head)} is not allowed; allowed: "
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
            raise ValueError(f"{path}, line {line}: {len(row)} cells; allowed: {len(heads)}, as in the first line")
        pair = types.index(row[0]), types.index(row[1])
        if pair in seen:
            raise ValueError(f"{path}, line {line}: {short_repr(row[0])} against {short_repr(row[1])} stands twice")
        seen.add(pair)
        for head, cell in list(zip(heads, row, strict=True))[2:]:
            if head not in INTERVAL_COLUMNS:
                found[head][pair] = _number(path, line, head, cell)
    counts: dict[str, Any] = {head: found[head].astype(int) for head in EXTRA_COLUMNS[len(ERROR_COLUMNS) :]}
    return PayoffMatrix(tuple(types), found["payoff"], found["error"], **counts, skewness=found["skewness"])


def _square(path: Path, rows: Rows) -> PayoffMatrix:
    types = rows[0][1][1:]
    if len(rows) - 1 != len(types):
        raise ValueError(f"{path}: {len(types)} columns and {len(rows) - 1} rows of payoffs; allowed: as many of both")
    mean = np.zeros((len(types), len(types)))
    for at, (line, row) in enumerate(rows[1:]):
        if row[0] != types[at]:
            raise ValueError(
                f"{path}, line {line}: the row is called {short_repr(row[0])}; allowed: "
                f"{short_repr(types[at])}, as its column"
            )
        if len(row) != len(types) + 1:
            raise ValueError(f"{path}, line {line}: {len(row) - 1} payoffs; allowed: {len(types)}")
        mean[at] = [_number(path, line, "payoff", cell) for cell in row[1:]]
    return matrix_from_payoffs(types, mean)


def _number(path: Path, line: int, head: str, cell: str) -> float:
    """A number of the column `head`; nothing stands for an error that is not known."""
    if cell == "" and head == "error":
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    counted = head in EXTRA_COLUMNS[len(ERROR_COLUMNS) :]
    low = -MAX_PAYOFF if head in ("payoff", "skewness") else 0.0
    if not low <= value <= MAX_PAYOFF or (counted and value != int(value)):
        allowed = f"a {'whole ' if counted else ''}number from {low:g} to {MAX_PAYOFF:g}"
        raise ValueError(f"{path}, line {line}: {head} {short_repr(cell[:40])} is not allowed; allowed: {allowed}")
    if 0 < abs(value) < MIN_NUMBER:
        raise ValueError(
            f"{path}, line {line}: {head} {short_repr(cell[:40])} is not allowed; allowed: 0, or at "
            f"least {MIN_NUMBER:g}"
        )
    return value
