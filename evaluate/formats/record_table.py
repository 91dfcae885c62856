"""Lossless table of records: one row per match, one column per field.

Fields with the same type in all games are typed columns. Fields that differ by game (parameters, turns, metrics, ...)
are JSON text, since game-specific types would make readers of mixed files guess types and round numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import atomic_write, explain_missing_library
from econzoo.envs.core.contract import check_arguments, parse_json
from econzoo.envs.core.record import Record

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

__all__ = ["record_features", "record_of", "record_schema", "write_records"]

TEXTS = ("game", "status", "id", "reason")
LISTS_OF_TEXTS = ("players", "faces", "rules", "personas", "sampled_players")
NUMBERS = ("seed", "forfeit", "format")
LISTS_OF_NUMBERS = ("errors", "defaults")
LISTS_OF_FLOATS = ("chance", "payoffs", "position_payoffs")
FLOATS = ("seconds",)

FLAT = {*TEXTS, *LISTS_OF_TEXTS, *NUMBERS, *LISTS_OF_NUMBERS, *LISTS_OF_FLOATS, *FLOATS}
"""Fields with typed columns; all others are JSON."""

ROWS = 1_000
"""Records per row group, which are in memory at once."""


@check_arguments
def record_schema() -> pa.Schema:
    """Arrow schema of the table.

    Raises:
        MissingLibraryError: pyarrow is not installed.
    """
    with explain_missing_library("Parquet", "parquet"):
        import pyarrow as pa
    number, real, text = pa.int64(), pa.float64(), pa.string()
    types = {
        **dict.fromkeys(NUMBERS, number),
        **dict.fromkeys(FLOATS, real),
        **dict.fromkeys(LISTS_OF_TEXTS, pa.list_(text)),
        **dict.fromkeys(LISTS_OF_NUMBERS, pa.list_(number)),
        **dict.fromkeys(LISTS_OF_FLOATS, pa.list_(real)),
    }
    return pa.schema([(name, types.get(name, text)) for name in Record.__dataclass_fields__])


@check_arguments
def record_features() -> datasets.Features:
    """Features of JSON lines, for ``load_dataset("json", data_files=..., features=record_features())``.

    Without them, `datasets` infers types from the first lines and fails at the first line of another game. It rounds
    numbers to ten decimals; `write_records` does not.

    Raises:
        MissingLibraryError: datasets is not installed.
    """
    with explain_missing_library("load_dataset", "train"):
        from datasets import Features, Json
    flat = Features.from_arrow_schema(record_schema())
    return Features({name: kind if name in FLAT else Json() for name, kind in flat.items()})


@check_arguments
def write_records(records: Iterable[Record], path: Path) -> None:
    """Write records of any games to one Parquet file, replacing it if it exists.

    Raises:
        MissingLibraryError: pyarrow is not installed.
    """
    schema = record_schema()
    import pyarrow as pa
    import pyarrow.parquet as pq

    with atomic_write(path) as part, pq.ParquetWriter(part, schema, compression="zstd") as file:
        remaining = iter(records)
        while batch := [*islice(remaining, ROWS)]:
            file.write_table(pa.Table.from_pylist([_row(record) for record in batch], schema))


def _row(record: Record) -> dict[str, Any]:
    given = {**record.fields(), "turns": [turn.fields() for turn in record.turns]}
    return {name: value if name in FLAT or value is None else json.dumps(value) for name, value in given.items()}


@check_arguments
def record_of(row: Mapping[str, Any]) -> Record:
    """Parse the record of a row.

    Args:
        row: Values by column, as from Hugging Face datasets or pyarrow.

    Raises:
        ValueError: The row is not a record.
    """
    # Null is also the cell of an optional field that the record lacks; only this field is always there.
    given: dict[str, Any] = {"forfeit": None}
    for name, value in row.items():
        if value is not None:
            given[name] = parse_json(value) if isinstance(value, str) and name not in FLAT else value
    return Record.from_json(json.dumps(given))
