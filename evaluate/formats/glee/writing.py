"""Conversion of records to GLEE's published format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from econzoo.envs.core.contract import Flag, Option
from econzoo.evaluate.formats import ConversionResult
from econzoo.evaluate.formats.glee.exporting import export_records
from econzoo.evaluate.formats.glee.name_decisions import PANEL, Decisions, KeepNames, Names, names_table_path
from econzoo.evaluate.formats.glee.record_reader import RecordReader

Deep = Annotated[
    bool, Option(Flag(), "Nest folders as FAMILY/I/D/./ID, by the first three characters of the id.", panel=PANEL)
]


def export_glee(
    source: str | Path, out: str | Path, deep: Deep = False, names: Names = "", keep_names: KeepNames = False
) -> ConversionResult:
    """Write records in GLEE's format: one folder per game with ``config.json`` and ``game.csv``.

    Imported games with people are written only after the table has a decision for every possible name.

    Args:
        names: Table of decisions about names; empty: beside `source`.
    """
    reading = RecordReader(source)
    decided = None if keep_names else Decisions(Path(names) if names else names_table_path(Path(source)))
    done = export_records(reading.iterate(lambda record: record), out, deep, decided)
    done.unreadable = len(reading.unreadable)
    complete = reading.complete and not done.undecided
    return ConversionResult(done.lines(), vars(done), complete, reading.lines())
