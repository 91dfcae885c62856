"""Reading of records for tables and exports: one per match, with a report of what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from econzoo.envs.core import format_count
from econzoo.envs.core.record import Record, read_lines
from econzoo.evaluate.run import DuplicateRecords, UnreadableLine, record_files

MAX_LISTED = 100
"""Maximum number of listed lines; the rest is counted."""

Result = TypeVar("Result")


def public_id(record: Record) -> str:
    """Public id of a match: GLEE's id of an imported game, else the record's id."""
    return str((record.source or {}).get("id", record.id))


class RecordReader:
    """Reader of the records of a file or folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder, self._files = folder, record_files(folder)
        self.records, self.duplicates = 0, DuplicateRecords()
        self.unreadable: list[UnreadableLine] = []

    def iterate(self, use: Callable[[Record], Result]) -> Iterator[Result]:
        """Yield results of a function, which refuses a record by `ValueError`, once per `public_id`, in order."""
        first: dict[str, Record] = {}
        for path in self._files:
            for number, line in read_lines(path):
                try:
                    record = Record.from_json(_text(line))
                    self.records += 1
                    result = use(record)
                except ValueError as error:
                    self.unreadable.append(UnreadableLine(path, number, str(error)))
                    continue
                if first.setdefault(public_id(record), record) is record:
                    yield result
                else:
                    self.duplicates.add(first[public_id(record)], record)
        self._check_not_empty()

    def _check_not_empty(self) -> None:
        if not self.records:
            lines = f"{len(self.unreadable)} unreadable, the first: " if len(self.unreadable) > 1 else ""
            why = f"{lines}{self.unreadable[0]}" if self.unreadable else "it is empty"
            raise ValueError(f"no readable record in {self.folder}: {why}")

    @property
    def complete(self) -> bool:
        """Whether every line was used, apart from identical duplicates."""
        return not (self.unreadable or self.duplicates.conflicting.total())

    def lines(self) -> list[str]:
        """Report lines: what was left out, and counts."""
        lines = [f"left out: {line}" for line in self.unreadable[:MAX_LISTED]]
        lines += [f"left out: {len(self.unreadable) - MAX_LISTED} more"] if len(self.unreadable) > MAX_LISTED else []
        lines += [f"{len(self.unreadable)} left out"] if self.unreadable else []
        repeated, unlike = self.duplicates.counts.total(), self.duplicates.conflicting.total()
        if repeated:
            same = f"{unlike} conflicting" if unlike else "all identical"
            lines.append(f"{format_count(repeated, 'duplicate')} skipped: {same}")
        return lines


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise ValueError("not a JSON line (not UTF-8 text)") from None
