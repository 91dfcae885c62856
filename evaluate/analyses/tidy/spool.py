"""Rows of a table that may be far more than fit into memory: all but the last ones lie in a file, column by column."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, overload
from weakref import finalize

from econzoo.evaluate.analyses.tidy.column import Column, Meaning, Seen, made_column

BLOCK = 20_000
"""Rows that are in memory at once."""

Row = Mapping[str, Any]


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


class Spool:
    """Takes the rows of a table one by one, and gives its columns when all are there.

    Args:
        first: Names of the columns that come first and are in every row.
    """

    def __init__(self, first: Sequence[str]) -> None:
        self._first = first
        self._met: dict[str, dict[str, None]] = {name: {} for name in first}
        self._shapes: set[tuple[str, ...]] = set()
        self._rows: list[Row] = []
        self._sizes: list[int] = []
        self._seen: dict[str, Seen] = {}
        self._places: dict[str, dict[int, int]] = {}
        self._file = TemporaryFile()  # noqa: SIM115  closed with the columns that are read from it
        finalize(self, self._file.close)

    def met(self, game: str) -> None:
        """Says that there is a match of a game, with rows or without."""
        for name in self._first:
            self._met[name][game] = None

    def add(self, game: str, row: Row) -> None:
        """Adds a row of a match of a game."""
        shape = (game, *row)
        if shape not in self._shapes:
            self._shapes.add(shape)
            for name in row:
                self._met.setdefault(name, {})[game] = None
        self._rows.append(row)
        if len(self._rows) >= BLOCK:
            self._lay_down()

    def _lay_down(self) -> None:
        block = len(self._sizes)
        for name in self._met:
            values = [row.get(name) for row in self._rows]
            self._seen.setdefault(name, Seen()).add(values)
            at = self._file.tell()
            pickle.dump(values, self._file, pickle.HIGHEST_PROTOCOL)
            self._places.setdefault(name, {})[block] = at
        self._sizes.append(len(self._rows))
        self._rows = []

    def columns(self, name: Mapping[str, str], meaning: Callable[[str, str], Meaning]) -> list[Column]:
        """The columns that somebody says what they hold, or that hold something.

        Args:
            name: A column as it is called here to what it is called in files.
            meaning: What a column means in a game.
        """
        if self._rows:
            self._lay_down()
        found = []
        for inner, games in self._met.items():
            meanings = [meaning(inner, game) for game in games]
            made = made_column(name[inner], meanings, self._seen.get(inner, Seen()), partial(self._values, inner))
            found += [] if made is None else [made]
        return found

    @property
    def names(self) -> list[str]:
        """Of all columns, as they are called here."""
        return [*self._met]

    def _values(self, name: str, make: Callable[[list[Any]], list[Any]]) -> Sequence[Any]:
        """What is made of the values of a column, block by block."""

        def read(block: int) -> list[Any]:
            return make(self._raw(name, block))

        return read(0) if len(self._sizes) == 1 else Values(read, self._sizes)

    def _raw(self, name: str, block: int) -> list[Any]:
        if block not in self._places.get(name, {}):  # the column came up later
            return [None] * self._sizes[block]
        self._file.seek(self._places[name][block])
        found: list[Any] = pickle.load(self._file)  # our own
        return found
