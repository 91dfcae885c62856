"""Records of large folders: what tables ask for most is kept in memory, the turns lie in a file.

A folder of 100,000 matches has a gigabyte of turns. Those of a record that is on disk are read again when somebody asks
for them, those of one record at a time, from a temporary file that nobody else writes: neither has a line to be read
as JSON twice, nor does it matter whether it was compressed.
"""

from __future__ import annotations

import os
import pickle
from copy import copy
from tempfile import TemporaryFile
from threading import Lock
from typing import Any
from weakref import finalize

from econzoo.envs.core.record.record import Record

KEPT = 2000
"""Records of a folder that are kept whole: small folders are read once."""

HEAVY = ("turns", "rulings")
"""Fields that lie on disk."""

ALIKE = ("game", "params", "options", "players", "faces", "rules", "errors", "defaults", "status", "versions")
"""Fields that many records have in common, and share."""


class Shelf:
    """Puts what is heavy of records into a file that is gone with the last of them."""

    def __init__(self) -> None:
        self._file, self._lock = TemporaryFile(), Lock()  # noqa: SIM115  closed with the records that are read from it
        finalize(self, self._file.close)
        self._alike: dict[str, Any] = {}
        self._last: tuple[int, dict[str, Any]] = -1, {}

    def put(self, record: Record) -> Record:
        """The record without what can be read again."""
        made: OnDisk = object.__new__(OnDisk)
        with self._lock:
            made.shelf, made.place = self, self._file.seek(0, os.SEEK_END)
            pickle.dump({name: getattr(record, name) for name in HEAVY}, self._file, pickle.HIGHEST_PROTOCOL)
        for name, value in vars(record).items():
            if name not in HEAVY:
                setattr(made, name, self._alike.setdefault(repr(value), value) if name in ALIKE else value)
        return made

    def heavy(self, place: int) -> dict[str, Any]:
        """The fields `HEAVY` of the record at a place of the file."""
        at, found = self._last
        if at != place:
            with self._lock:
                self._file.seek(place)
                found = pickle.load(self._file)  # our own
            self._last = place, found
        return found


def _read_again(name: str) -> Any:
    return property(lambda record: record.shelf.heavy(record.place)[name])


class OnDisk(Record):
    """A record whose turns are read from a file whenever they are asked for: changing them changes nothing."""

    __slots__ = ("place", "shelf")
    __hash__ = None  # type: ignore[assignment]
    shelf: Shelf
    place: int
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
