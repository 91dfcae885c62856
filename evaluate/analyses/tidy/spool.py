"""Tables larger than memory: all blocks but the last are in a temporary file, column by column."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, overload
from weakref import finalize

from econzoo.evaluate.analyses.tidy.column import Column, Meaning, ValueKinds, new_column

BLOCK = 20_000
"""Rows per block in memory."""

Part = Mapping[str, Sequence[Any]]
"""Rows of a table: column to values."""


class Values(Sequence[Any]):
    """Values of a column with one block in memory at a time."""

    def __init__(self, read: Callable[[int], list[Any]], sizes: Sequence[int]) -> None:
        self._read, self._sizes = read, sizes

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return list(self)[at]

    def __len__(self) -> int:
        return sum(self._sizes)

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[Any]]:
        return map(self._read, range(len(self._sizes)))


def blocks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Iterate over the blocks of a column, which are the same for all columns of a table."""
    return values.blocks() if isinstance(values, Values) else iter([values])


def to_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Convert rows to columns, with None for missing values."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


class Spool:
    """Collects rows match by match, then returns columns.

    Args:
        first: Names of the first columns, which every row has.
    """

    def __init__(self, first: Sequence[str]) -> None:
        self._first = first
        self._games_by_column: dict[str, dict[str, None]] = {name: {} for name in first}
        self._shapes: set[tuple[str, ...]] = set()
        self._block: dict[str, list[Any]] = {}
        self._rows = 0
        self._sizes: list[int] = []
        self._value_kinds: dict[str, ValueKinds] = {}
        # Column to block to its offset in the file.
        self._places: dict[str, dict[int, int]] = {}
        self._file = TemporaryFile()  # noqa: SIM115  closed with the columns that are read from it
        finalize(self, self._file.close)  # columns that are read from it hold this spool

    def add(self, game: str, part: Part) -> None:
        """Add the rows of a match; there may be none."""
        count = len(next(iter(part.values())))
        # A match without rows still tells that its game has the first columns.
        part = part if count else {}
        shape = (game, *part)
        if shape not in self._shapes:
            self._shapes.add(shape)
            for name in dict.fromkeys([*self._first, *part]):
                self._games_by_column.setdefault(name, {})[game] = None
        for name, values in part.items():
            column = self._block.setdefault(name, [])
            if len(column) < self._rows:
                column += [None] * (self._rows - len(column))
            column += values
        self._rows += count
        if self._rows >= BLOCK:
            self._write_block()

    def _write_block(self) -> None:
        for name, values in self._block.items():
            values.extend([None] * (self._rows - len(values)))
            self._value_kinds.setdefault(name, ValueKinds()).add(values)
            self._places.setdefault(name, {})[len(self._sizes)] = self._file.tell()
            pickle.dump(values, self._file, pickle.HIGHEST_PROTOCOL)
        self._sizes.append(self._rows)
        self._block, self._rows = {}, 0

    def columns(self, name: Mapping[str, str], meaning: Callable[[str, str], Meaning]) -> list[Column]:
        """Return the columns with a declared kind or values."""
        if self._rows:
            self._write_block()
        found = []
        for inner, games in self._games_by_column.items():
            meanings = [meaning(inner, game) for game in games]
            built = new_column(
                name[inner], meanings, self._value_kinds.get(inner, ValueKinds()), partial(self._values, inner)
            )
            found += [] if built is None else [built]
        return found

    @property
    def names(self) -> list[str]:
        """Internal names of all columns."""
        return [*self._games_by_column]

    def _values(self, name: str, make: Callable[[list[Any]], list[Any]]) -> Sequence[Any]:
        """Converted values of a column, read block by block."""

        def read(block: int) -> list[Any]:
            return make(self._raw(name, block))

        return read(0) if len(self._sizes) == 1 else Values(read, self._sizes)

    def _raw(self, name: str, block: int) -> list[Any]:
        if block not in self._places.get(name, {}):  # the block lacks the column
            return [None] * self._sizes[block]
        self._file.seek(self._places[name][block])
        found: list[Any] = pickle.load(self._file)  # written by this process
        return found
