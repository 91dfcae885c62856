"""Rows of a table that may be far more than fit into memory: all but the last ones lie in a file, column by column."""

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
"""Rows that are in memory at once."""

Part = Mapping[str, Sequence[Any]]
"""Some rows of a table: column to its values."""


class Values(Sequence[Any]):
    """The values of a column, of which one block at a time is in memory; those of one block are simply a list.

    Args:
        read: Gives the values of a block.
        sizes: Rows of each block.
    """

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
        """The values, block by block."""
        return map(self._read, range(len(self._sizes)))


def blocks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The values of a column in as many parts as those of the others of its table."""
    return values.blocks() if isinstance(values, Values) else iter([values])


def to_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as a `Part`, with None where a row lacks a column."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


class Spool:
    """Takes the rows of a table, those of one match after those of another, and gives its columns when all are there.

    Args:
        first: Names of the columns that come first and are in every row.
    """

    def __init__(self, first: Sequence[str]) -> None:
        self._first = first
        self._games_by_column: dict[str, dict[str, None]] = {name: {} for name in first}
        self._shapes: set[tuple[str, ...]] = set()
        self._block: dict[str, list[Any]] = {}
        self._rows = 0
        self._sizes: list[int] = []
        self._value_kinds: dict[str, ValueKinds] = {}
        self._places: dict[str, dict[int, int]] = {}
        self._file = TemporaryFile()  # noqa: SIM115  closed with the columns that are read from it
        finalize(self, self._file.close)

    def add(self, game: str, part: Part) -> None:
        """Adds the rows of a match of a game, of which there may be none."""
        count = len(next(iter(part.values())))
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
        """The columns that somebody says what they hold, or that hold something.

        Args:
            name: A column as it is called here to what it is called in files.
            meaning: What a column means in a game.
        """
        if self._rows:
            self._write_block()
        found = []
        for inner, games in self._games_by_column.items():
            meanings = [meaning(inner, game) for game in games]
            made = new_column(
                name[inner], meanings, self._value_kinds.get(inner, ValueKinds()), partial(self._values, inner)
            )
            found += [] if made is None else [made]
        return found

    @property
    def names(self) -> list[str]:
        """Of all columns, as they are called here."""
        return [*self._games_by_column]

    def _values(self, name: str, make: Callable[[list[Any]], list[Any]]) -> Sequence[Any]:
        """What is made of the values of a column, block by block."""

        def read(block: int) -> list[Any]:
            return make(self._raw(name, block))

        return read(0) if len(self._sizes) == 1 else Values(read, self._sizes)

    def _raw(self, name: str, block: int) -> list[Any]:
        if block not in self._places.get(name, {}):  # no row of the block has the column
            return [None] * self._sizes[block]
        self._file.seek(self._places[name][block])
        found: list[Any] = pickle.load(self._file)  # our own
        return found
