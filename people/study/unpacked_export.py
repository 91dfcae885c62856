"""What an unpacked export of a study tells beside its records."""

from __future__ import annotations

import csv
from pathlib import Path

from econzoo.evaluate.run.folder import record_files

SEATS = "seats.csv"
"""Beside the records: which match belongs to which independent group."""


def groups_of(folder: str | Path) -> dict[str, str]:
    """Match to its independent group, where exports of studies lie in a file's folder, or a folder."""
    found: dict[str, str] = {}
    for place in {path.parent for path in record_files(folder)}:
        if (path := place / SEATS).is_file():
            with path.open(newline="", encoding="utf-8") as file:
                found |= {row["match"]: f"{place}/{row['group']}" for row in csv.DictReader(file)}
    return found
