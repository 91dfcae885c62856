"""Records of large folders: what tables ask for most is kept in memory, the turns stay in their file.

A folder of 100,000 matches has a gigabyte of turns. Those of a record that is on disk are read again when somebody asks
for them, those of one record at a time; whoever goes through the records in the order of their files reads each line
once more, and needs no memory for it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any
from weakref import finalize

from econzoo.envs.core.record.lines import is_compressed, raw_lines
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.turn import Turn

KEPT = 2000
"""Records of a folder that are kept whole: small folders are read once."""

HEAVY = ("turns", "rulings")
"""Fields that stay on disk."""

ALIKE = ("game", "params", "options", "players", "faces", "rules", "errors", "defaults", "status", "versions")
"""Fields that many records have in common, and share."""


class Source:
    """A file from which records are read again.

    Args:
        file: Its path, or an open file that is nobody else's.
    """

    def __init__(self, file: Path | IO[bytes]) -> None:
        self._file, self._lock = file, Lock()
        self._last: tuple[int, dict[str, Any]] = -1, {}

    def heavy(self, offset: int, length: int) -> dict[str, Any]:
        """The fields `HEAVY` of the record at some place of the file.

        Raises:
            ValueError: The file was changed after the record had been read.
        """
        at, found = self._last
        if at != offset:
            try:
                given = json.loads(self._line(offset, length))
                turns = [Turn(**turn) for turn in given["turns"]]
            except (ValueError, TypeError, KeyError):
                raise ValueError(f"{self._file} was changed while it was read") from None
            found = {"turns": turns, "rulings": given.get("rulings")}
            self._last = offset, found
        return found

    def _line(self, offset: int, length: int) -> bytes:
        if isinstance(self._file, Path):
            with self._file.open("rb") as file:
                file.seek(offset)
                return file.read(length)
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)


def _read_again(name: str) -> Any:
    return property(lambda record: record.source_file.heavy(*record.place)[name])


class OnDisk(Record):
    """A record whose turns are read from its file whenever they are asked for: changing them changes nothing."""

    __slots__ = ("place", "source_file")
    __hash__ = None  # type: ignore[assignment]
    source_file: Source
    place: tuple[int, int]
    turns = _read_again("turns")
    rulings = _read_again("rulings")

    def __new__(cls, **fields: Any) -> Any:
        """A record like others, as `dataclasses.replace` wants it."""
        return Record(**fields)

    def __eq__(self, other: object) -> bool:
        return self.whole() == (other.whole() if isinstance(other, OnDisk) else other)

    def __reduce__(self) -> Any:
        return copy, (self.whole(),)

    def whole(self) -> Record:
        """The same record, in memory."""
        made = Record(**self.fields())
        if hasattr(self, "_labels"):
            made._labels = self._labels
        return made


class Shelf:
    """Reads the lines of a folder, and makes records of them `OnDisk`.

    Those of compressed files are copied into one file that is gone with the records, since nothing in the middle of a
    compressed file can be read without all that is before.
    """

    def __init__(self) -> None:
        self._alike: dict[str, Any] = {}
        self._copies: IO[bytes] | None = None

    def lines_of(self, path: Path) -> Iterator[tuple[int, bytes]]:
        """The lines of a file that are not blank, with their numbers."""
        self._source, self._end, self._line = Source(path), 0, b""
        self._copied = is_compressed(path)
        for number, self._line in enumerate(raw_lines(path), start=1):
            self._end += len(self._line)
            if self._line.strip():
                yield number, self._line

    def put(self, record: Record) -> Record:
        """The record of the last line without what can be read again."""
        made: OnDisk = object.__new__(OnDisk)
        made.source_file, made.place = self._kept()
        for name, value in vars(record).items():
            if name not in HEAVY:
                setattr(made, name, self._shared(value) if name in ALIKE else value)
        return made

    def _kept(self) -> tuple[Source, tuple[int, int]]:
        """Where the last line can be read again."""
        length = len(self._line)
        if not self._copied:
            return self._source, (self._end - length, length)
        if self._copies is None:
            self._copies = TemporaryFile(buffering=0)  # noqa: SIM115  closed with the records that are read from it
            self._copies_source = Source(self._copies)
            finalize(self._copies_source, self._copies.close)
        at = self._copies.seek(0, os.SEEK_END)
        self._copies.write(self._line)
        return self._copies_source, (at, length)

    def _shared(self, value: Any) -> Any:
        return self._alike.setdefault(repr(value), value)
