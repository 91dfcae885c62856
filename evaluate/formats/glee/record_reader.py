"""Reading records for a table or an export: each match once, and whatever is left out is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from econzoo.envs.core.record.lines import read_lines
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.folder import DuplicateRecords, UnreadableLine, record_files

MAX_LISTED = 100
"""Lines of each kind that are told one by one; the rest is counted."""

Result = TypeVar("Result")


def public_id(record: Record) -> str:
    """The id of a match for others: GLEE's of an imported game, else the record's own."""
    return str((record.source or {}).get("id", record.id))


class RecordReader:
    """The records of a file or folder.

    Args:
        folder: A file of records, or a folder with such files.

    Raises:
        FileNotFoundError: No such file or folder, or a folder without records.

    Attributes:
        records: How many lines are records, repeated ones and those that cannot be used included.
        unreadable: Lines that are no records, and records that cannot be used.
        duplicates: Records that can be used but have the id of an earlier one.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder, self._files = folder, record_files(folder)
        self.records, self.duplicates = 0, DuplicateRecords()
        self.unreadable: list[UnreadableLine] = []

    def iterate(self, use: Callable[[Record], Result]) -> Iterator[Result]:
        """What is made of the records, in their order and once for each `public_id`.

        Args:
            use: Makes something of a record, or raises `ValueError` with the reason why not.

        Raises:
            ValueError: At the end, if no line was a record.
        """
        first: dict[str, Record] = {}
        for path in self._files:
            for number, line in read_lines(path):
                try:
                    record = Record.from_json(_text(line))
                    self.records += 1
                    made = use(record)
                except ValueError as error:
                    self.unreadable.append(UnreadableLine(path, number, str(error)))
                    continue
                if first.setdefault(public_id(record), record) is record:
                    yield made
                else:
                    self.duplicates.add(first[public_id(record)], record)
        self._check_not_empty()

    def _check_not_empty(self) -> None:
        if not self.records:
            lines = f"{len(self.unreadable)} unreadable, the first: " if len(self.unreadable) > 1 else ""
            why = f"{lines}{self.unreadable[0]}" if self.unreadable else "nothing is in it"
            raise ValueError(f"no record could be read in {self.folder}: {why}")

    @property
    def complete(self) -> bool:
        """Whether every line was used, but for repeats of the same match."""
        return not (self.unreadable or self.duplicates.conflicting.total())

    def lines(self) -> list[str]:
        """For people: what is missing in the result, and at the end how much."""
        told = [f"left out: {line}" for line in self.unreadable[:MAX_LISTED]]
        told += [f"left out: {len(self.unreadable) - MAX_LISTED} more"] if len(self.unreadable) > MAX_LISTED else []
        told += [f"{len(self.unreadable)} left out"] if self.unreadable else []
        repeated, unlike = self.duplicates.counts.total(), self.duplicates.conflicting.total()
        if repeated:
            same = f"{unlike} of them differ from it" if unlike else "all the same match"
            told.append(f"{repeated} more with the id of an earlier one, which counts: {same}")
        return told


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise ValueError("not a JSON line (not UTF-8 text)") from None
