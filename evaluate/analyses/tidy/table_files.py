"""Exported tables as CSV, Parquet and Stata files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from econzoo.envs.core import atomic_write, explain_missing_library
from econzoo.evaluate.analyses.tidy.column import CHOICE, FLAG, INTEGER, LONG_TEXT, NUMBER, Column
from econzoo.evaluate.analyses.tidy.spool import blocks
from econzoo.evaluate.analyses.tidy.tables import Table
from econzoo.evaluate.show import add_columns, add_rows

MAX_TEXT = 2045
"""Maximum bytes of a text that is not a strL in Stata."""

MAX_LABEL = 80
"""Maximum characters of a variable label in Stata."""


def write_table(table: Table, folder: Path, to: str) -> Path:
    """Write a table to a file in a folder, replacing an existing one."""
    ending, write = FORMATS[to]
    path = folder / f"{table.name}.{ending}"
    with atomic_write(path) as part:
        write(table, part)
    return path


def _csv(table: Table, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        add_rows(file, [[one.name for one in table.columns]])
        for columns in zip(*(blocks(one.values) for one in table.columns), strict=True):
            add_columns(file, columns)


def _parquet(table: Table, path: Path) -> None:
    with explain_missing_library("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    types = {FLAG: pa.bool_(), INTEGER: pa.int64(), NUMBER: pa.float64()}
    # The types are those of the whole table: a block may lack all values of a column.
    fields = [
        pa.field(c.name, types.get(c.kind, pa.string()), metadata={"description": label(c)}) for c in table.columns
    ]
    schema = pa.schema(fields)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for columns in zip(*(blocks(one.values) for one in table.columns), strict=True):
            arrays = [pa.array(values, field.type) for values, field in zip(columns, fields, strict=True)]
            file.write_table(pa.table(arrays, schema=schema))


def _stata(table: Table, path: Path) -> None:
    with explain_missing_library("Stata"):
        import pandas as pd
    data = pd.DataFrame({one.name: _stata_values(one) for one in table.columns})
    data.to_stata(
        path,
        write_index=False,
        version=118,  # Stata 14, the first with Unicode
        convert_strl=[one.name for one in table.columns if _is_long(one)],
        variable_labels={one.name: label(one)[:MAX_LABEL] for one in table.columns},
        value_labels={one.name: codes for one in table.columns if (codes := codes_of(one))},
        data_label=f"EconZoo: {table.name}",
    )


def _stata_values(one: Column) -> Any:
    import pandas as pd

    if one.kind in (INTEGER, NUMBER):
        return pd.Series(one.values, dtype="float64" if one.kind == NUMBER or None in one.values else "int64")
    if codes := codes_of(one):
        numbers: dict[Any, int] = {level: code for code, level in codes.items()} | {False: 0, True: 1}
        found = [numbers.get(value) for value in one.values]
        # Missing values need floats. A byte of Stata goes up to 100.
        return pd.Series(found, dtype="float64" if None in found else "int8" if len(codes) < 100 else "int32")
    return pd.Series(["" if value is None else value for value in one.values], dtype=object)


def codes_of(one: Column) -> dict[int, str]:
    """Return numeric codes of a flag or a choice with their levels; empty for other columns."""
    if one.kind == FLAG:
        return {0: "no", 1: "yes"}
    return dict(enumerate(one.levels, start=1)) if one.kind == CHOICE else {}


def _is_long(one: Column) -> bool:
    return one.kind == LONG_TEXT or any(
        isinstance(value, str) and len(value.encode()) > MAX_TEXT for value in one.values if one.kind != CHOICE
    )


def label(one: Column) -> str:
    """Return the meanings of a column in one line."""
    return "; ".join(dict.fromkeys(meaning.meaning for meaning in one.meanings))


FORMATS: dict[str, tuple[str, Callable[[Table, Path], None]]] = {
    "csv": ("csv", _csv),
    "parquet": ("parquet", _parquet),
    "stata": ("dta", _stata),
}
"""Format to (file extension, writer)."""
