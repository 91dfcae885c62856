"""Records of large folders: what many have in common is kept in memory once, the rest lies in a file.

A folder of 100,000 matches has a gigabyte of turns. What a record says is read again when somebody asks for it, and of
one record at a time, from a temporary file that nobody else writes: neither has a line to be read as JSON twice, nor
does it matter whether it was compressed. In memory a record takes some 150 bytes.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from copy import copy
from dataclasses import fields
from operator import attrgetter
from tempfile import TemporaryFile
from threading import Lock
from typing import Any
from weakref import finalize

from econzoo.envs.core.record.record import Record, Turn

KEPT = 2000
"""Records of a folder that are kept whole: small folders are read once."""

SHARED = ("game", "params", "options", "players", "rules", "status")
"""Fields that many records have in common: each value is in memory once, for all that have it."""

HEAVY = ("turns", "rulings")
"""Fields that are read by themselves, as most questions are not about them."""

LIGHT = tuple(field.name for field in fields(Record) if field.name not in (*SHARED, *HEAVY))
"""All other fields."""

_shared, _light = attrgetter(*SHARED), attrgetter(*LIGHT)
_turn = attrgetter(*(field.name for field in fields(Turn)))


class Shelf:
    """Puts records into a file that is gone with the last of them."""

    def __init__(self) -> None:
        self._file, self._lock = TemporaryFile(), Lock()  # noqa: SIM115  closed with the records that are read from it
        finalize(self, self._file.close)
        self._known: dict[str, Any] = {}
        self._last_light: tuple[int, Any] = -1, ()
        self._last_heavy: tuple[int, Any] = -1, ()

    def put(self, record: Record) -> Record:
        """The record without what can be read again."""
        made: OnDisk = object.__new__(OnDisk)
        for name, value in zip(SHARED, _shared(record), strict=True):
            setattr(made, name, self._known.setdefault(repr(value), value))
        packed = [marshal.dumps(part) for part in (_light(record), ([*map(_turn, record.turns)], record.rulings))]
        with self._lock:
            made.shelf, made.place = self, self._file.seek(0, os.SEEK_END)
            self._file.write(b"".join([len(part).to_bytes(SIZE, "little") + part for part in packed]))
        return made

    def light(self, place: int) -> Any:
        """The fields `LIGHT` of the record at a place of the file."""
        if self._last_light[0] != place:
            self._last_light = place, self._read(place, 0)
        return self._last_light[1]

    def heavy(self, place: int) -> Any:
        """The fields `HEAVY` of the record at a place of the file."""
        if self._last_heavy[0] != place:
            turns, rulings = self._read(place, 1)
            self._last_heavy = place, ([Turn(*turn) for turn in turns], rulings)
        return self._last_heavy[1]

    def _read(self, place: int, part: int) -> Any:
        with self._lock:
            self._file.seek(place)
            for _ in range(part):
                self._file.seek(int.from_bytes(self._file.read(SIZE), "little"), os.SEEK_CUR)
            packed = self._file.read(int.from_bytes(self._file.read(SIZE), "little"))
        return marshal.loads(packed)  # our own


SIZE = 8
"""Bytes of the length of a part."""


class OnDisk(Record):
    """A record that is read from a file whenever it is asked: changing what it says changes nothing."""

    __slots__ = ("place", "shelf", *SHARED)
    __hash__ = None  # type: ignore[assignment]
    shelf: Shelf
    place: int

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


def _read_again(read: Callable[[Shelf, int], Any], at: int) -> Any:
    return property(lambda record: read(record.shelf, record.place)[at])


for _names, _of in ((LIGHT, Shelf.light), (HEAVY, Shelf.heavy)):
    for _at, _name in enumerate(_names):
        setattr(OnDisk, _name, _read_again(_of, _at))
