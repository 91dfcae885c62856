"""Records on disk: a folder of 100,000 matches has a gigabyte of turns.

Fields are read on access, for one record at a time, from a private temporary file, so that no line is parsed as JSON
twice and compression does not matter. In memory a record takes some 150 bytes.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from copy import copy
from dataclasses import fields
from functools import partial
from operator import attrgetter
from pkgutil import resolve_name
from tempfile import TemporaryFile
from threading import Lock
from typing import Any
from weakref import finalize

from econzoo.envs.core.record import Record, Turn

SHARED_FIELDS = ("game", "params", "options", "players", "rules", "status", "software")
"""Fields whose values many records share: each value is in memory once."""

LARGE_FIELDS = ("turns", "rulings")
"""Fields that are read separately, as most accesses do not need them."""

SMALL_FIELDS = tuple(field.name for field in fields(Record) if field.name not in (*SHARED_FIELDS, *LARGE_FIELDS))
"""All other fields."""

COMPILED_MATCHES = "econzoo.evaluate.run.compiled_matches"

_get_shared, _get_small = attrgetter(*SHARED_FIELDS), attrgetter(*SMALL_FIELDS)
_get_turn = attrgetter(*(field.name for field in fields(Turn)))


def play_again(record: Any, turns: bool) -> Record:
    """Play the match of a record, or of its dictionary, whose turns are left out."""
    read = record.get if isinstance(record, dict) else partial(getattr, record)
    game, params, options, players, seed = map(read, ("game", "params", "options", "players", "seed"))
    # By name, since it imports the players of a game.
    return resolve_name(f"{COMPILED_MATCHES}:play_again")(game, params, options, players, seed, turns)


class RecordStore:
    """Stores records in a file that is deleted with the last of them."""

    def __init__(self) -> None:
        self._file, self._lock = TemporaryFile(), Lock()  # noqa: SIM115  closed when its last record is freed
        finalize(self, self._file.close)
        self._known: dict[str, Any] = {}
        # The last record read, since accesses to the fields of one record follow each other.
        self._last_small: tuple[int, Any] = -1, ()
        self._last_large: tuple[int, Any] = -1, ()
        self._last_remade: tuple[int, Any] = -1, None

    def add(self, record: Record) -> Record:
        """Return the record without the fields that can be read again."""
        # Not by the constructor, which makes an ordinary record.
        stub: DiskRecord = object.__new__(DiskRecord)
        # By text, since dictionaries and lists are not hashable.
        for name, value in zip(SHARED_FIELDS, _get_shared(record), strict=True):
            setattr(stub, name, self._known.setdefault(repr(value), value))
        # marshal stores exactly the plain values of a record; its format may change between versions of Python, but no
        # other process reads this file.
        packed = [
            marshal.dumps(part) for part in (_get_small(record), ([*map(_get_turn, record.turns)], record.rulings))
        ]
        with self._lock:
            stub.store, stub.place = self, self._file.seek(0, os.SEEK_END)
            self._file.write(b"".join([len(part).to_bytes(LENGTH_BYTES, "little") + part for part in packed]))
        return stub

    def read_small_fields(self, place: int) -> Any:
        """Read the `SMALL_FIELDS` of the record at an offset."""
        if self._last_small[0] != place:
            self._last_small = place, self._read(place, 0)
        return self._last_small[1]

    def read_large_fields(self, place: int) -> Any:
        """Read the `LARGE_FIELDS` of the record at an offset."""
        if self._last_large[0] != place:
            turns, rulings = self._read(place, 1)
            self._last_large = place, ([Turn(*turn) for turn in turns], rulings)
        return self._last_large[1]

    def remake(self, record: DiskRecord) -> Record:
        """Return the record with its turns, if they were left out."""
        if self._last_remade[0] != record.place:
            self._last_remade = record.place, play_again(record, turns=True)
        return self._last_remade[1]

    def _read(self, place: int, part: int) -> Any:
        with self._lock:
            self._file.seek(place)
            for _ in range(part):
                self._file.seek(int.from_bytes(self._file.read(LENGTH_BYTES), "little"), os.SEEK_CUR)
            packed = self._file.read(int.from_bytes(self._file.read(LENGTH_BYTES), "little"))
        return marshal.loads(packed)  # written by this process


LENGTH_BYTES = 8
"""Bytes of the length prefix of a part."""


class DiskRecord(Record):
    """A record whose fields are read from a file on access: mutating a field's value has no effect."""

    __slots__ = ("place", "store", *SHARED_FIELDS)
    __hash__ = None  # type: ignore[assignment]
    store: RecordStore
    place: int

    def __new__(cls, **fields: Any) -> Any:
        """Return an ordinary record, as `dataclasses.replace` expects."""
        return Record(**fields)

    def __eq__(self, other: object) -> bool:
        return self.load() == (other.load() if isinstance(other, DiskRecord) else other)

    def __reduce__(self) -> Any:
        # Pickles and copies are ordinary records: the file exists in this process only.
        return copy, (self.load(),)

    def load(self) -> Record:
        """Return the record in memory."""
        record = Record(**self.fields())
        # Labels depend on all records of a folder, so that a copy alone cannot compute them.
        if hasattr(self, "_labels"):
            record._labels = self._labels
        return record


def _field_property(read: Callable[[RecordStore, int], Any], at: int) -> Any:
    return property(lambda record: read(record.store, record.place)[at])


def _remade_property(stored: property, name: str) -> property:
    """Return a property of values that may be left out of the record, which is then played again."""
    return property(
        lambda record: getattr(record.store.remake(record), name) if record.left_out else stored.__get__(record)
    )


for _names, _of in ((SMALL_FIELDS, RecordStore.read_small_fields), (LARGE_FIELDS, RecordStore.read_large_fields)):
    for _at, _name in enumerate(_names):
        setattr(DiskRecord, _name, _field_property(_of, _at))
for _name in ("turns", "chance"):
    setattr(DiskRecord, _name, _remade_property(getattr(DiskRecord, _name), _name))
