"""Reading records for a table or an export: each match once, and whatever is left out is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from econzoo.envs.core.record.lines import lines_of
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.folder import Repeats, Unreadable, record_files

TOLD = 100
"""Lines of each kind that are told one by one; the rest is counted."""

Made = TypeVar("Made")


def public_id(record: Record) -> str:
    """The id of a match for others: GLEE's of an imported game, else the record's own."""
    return str((record.source or {}).get("id", record.id))


class Reading:
    """The records of a file or folder.

    Args:
        folder: A file of records, or a folder with such files.

    Raises:
        FileNotFoundError: No such file or folder, or a folder without records.

    Attributes:
        records: How many lines are records, repeated ones and those that cannot be used included.
        left_out: Lines that are no records, and records that cannot be used.
        repeats: Records that can be used but have the id of an earlier one.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder, self._files = folder, record_files(folder)
        self.records, self.repeats = 0, Repeats()
        self.left_out: list[Unreadable] = []

    def each(self, use: Callable[[Record], Made]) -> Iterator[Made]:
        """What is made of the records, in their order and once for each `public_id`.

        Args:
            use: Makes something of a record, or raises `ValueError` with the reason why not.

        Raises:
            ValueError: At the end, if no line was a record.
        """
        first: dict[str, Record] = {}
        for path in self._files:
            for number, line in lines_of(path):
                try:
                    record = Record.from_json(_text(line))
                    self.records += 1
                    made = use(record)
                except ValueError as error:
                    self.left_out.append(Unreadable(path, number, str(error)))
                    continue
                if first.setdefault(public_id(record), record) is record:
                    yield made
                else:
                    self.repeats.add(first[public_id(record)], record)
        self._refuse_nothing()

    def _refuse_nothing(self) -> None:
        if not self.records:
            lines = f"{len(self.left_out)} unreadable, the first: " if len(self.left_out) > 1 else ""
            why = f"{lines}{self.left_out[0]}" if self.left_out else "nothing is in it"
            raise ValueError(f"no record could be read in {self.folder}: {why}")

    @property
    def complete(self) -> bool:
        """Whether every line was used, but for repeats of the same match."""
        return not (self.left_out or self.repeats.unlike.total())

    def lines(self) -> list[str]:
        """For people: what is missing in the result, and at the end how much."""
        told = [f"left out: {line}" for line in self.left_out[:TOLD]]
        told += [f"left out: {len(self.left_out) - TOLD} more"] if len(self.left_out) > TOLD else []
        told += [f"{len(self.left_out)} left out"] if self.left_out else []
        repeated, unlike = self.repeats.left_out.total(), self.repeats.unlike.total()
        if repeated:
            same = f"{unlike} of them differ from it" if unlike else "all the same match"
            told.append(f"{repeated} more with the id of an earlier one, which counts: {same}")
        return told


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise ValueError("not a JSON line (not UTF-8 text)") from None
