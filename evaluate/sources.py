"""Matches that were played elsewhere, in a file of records: which of them are there already."""

from __future__ import annotations

import hashlib
from pathlib import Path

from econzoo.envs.core.record import Record, read_records


class UnusableError(ValueError):
    """A game that cannot be taken over.

    Attributes:
        kind: A few words, for counting.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def seed_of(source: str, name: str) -> int:
    """The seed of an imported match: it draws nothing, but tells matches of one market and the same players apart.

    Args:
        source: Where it comes from, as in the record's ``source["format"]``.
        name: What it is called there.
    """
    return int.from_bytes(hashlib.sha256(f"{source}/{name}".encode()).digest()[:8]) >> 1


class Known:
    """The matches of one source in a file of records.

    Args:
        path: The file.
        source: The ``source["format"]`` of its records.

    Raises:
        ValueError: The file holds something else than records.
    """

    def __init__(self, path: Path, source: str) -> None:
        found = [(record.source or {}, record.id) for record in read_records(path)]
        self._ids = {given["id"]: match for given, match in found if given.get("format") == source}

    def add(self, record: Record) -> bool:
        """Whether a match is new; from now on it is known.

        Raises:
            ValueError: There is another match of the same name.
        """
        assert record.source is not None
        there = self._ids.setdefault(record.source["id"], "")
        if there not in ("", record.id):
            raise ValueError(f"the file has another game of the id {record.source['id']}")
        self._ids[record.source["id"]] = record.id
        return not there
