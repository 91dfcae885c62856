"""A minimal table of columns, so that summaries do not need pandas."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.record import identity

if TYPE_CHECKING:
    import pandas as pd


class Tabular(Protocol):
    """The common interface of `Columns` and `pandas.DataFrame`."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return a column by name, or the rows selected by a boolean array."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __contains__(self, name: Any, /) -> bool:
        """Whether there is a column of this name."""


Rows = TypeVar("Rows", bound=Tabular)


class Columns:
    """Named arrays of one length, packed into little memory: a table may have a million matches.

    Args:
        arrays: Arrays of shape (rows,).
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._packed = {name: PackedArray.pack(values) for name, values in arrays.items()}

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Columns:
        """Build columns from rows, in the order in which names first occur; NaN where a row lacks one."""
        parts: dict[str, list[PackedArray]] = {}
        left, sizes = iter(rows), list[int]()
        while block := [*islice(left, BLOCK)]:
            for name in dict.fromkeys([*parts, *(name for row in block for name in row)]):
                values = _to_array([row.get(name, math.nan) for row in block])
                # NaN for the blocks before the first row with this name.
                missing = [PackedArray.pack(np.full(n, math.nan)) for n in sizes]
                parts.setdefault(name, missing).append(PackedArray.pack(values))
            sizes.append(len(block))
        table = cls({})
        # Blocks are freed column by column, so that few exist twice.
        table._packed = {name: PackedArray.concatenate(parts.pop(name)) for name in [*parts]}
        return table

    def __getitem__(self, key: Any) -> Any:
        """Return a column by name, or the rows selected by a boolean array."""
        if isinstance(key, str):
            return self._packed[key].values
        table = Columns({})
        is_full = isinstance(key, np.ndarray) and key.dtype == bool and key.all()  # avoids a copy of large tables
        table._packed = {name: one if is_full else one.rows(key) for name, one in self._packed.items()}
        return table

    def __setitem__(self, name: str, values: Sequence[Any] | np.ndarray) -> None:
        """Add or replace a column."""
        self._packed[name] = PackedArray.pack(np.asarray(values))

    def __contains__(self, name: Any) -> bool:
        """Whether there is a column of this name."""
        return name in self._packed

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self._packed)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self._packed.values())).stored) if self._packed else 0

    def data_frame(self) -> pd.DataFrame:
        with explain_missing_library("a data frame"):
            import pandas as pd
        return pd.DataFrame({name: values_of(self[name]) for name in self})


BLOCK = 10_000
"""Rows held unpacked at a time; packed they take a tenth of the memory."""


class PackedArray(NamedTuple):
    """A losslessly packed array.

    Attributes:
        stored: Shape (rows,): values in the smallest type that holds them, or indices into `texts`.
    """

    stored: np.ndarray
    kind: np.dtype[Any]
    texts: tuple[str, ...] = ()

    @classmethod
    def pack(cls, values: np.ndarray) -> PackedArray:
        if values.dtype == object and all(type(value) is str for value in values):
            places, texts = factorize(values)
            return cls(_to_smallest_type(places), values.dtype, tuple(texts))
        return cls(_to_smallest_type(values), values.dtype)

    @classmethod
    def concatenate(cls, parts: Sequence[PackedArray]) -> PackedArray:
        """Concatenate arrays; numbers in object arrays stay Python numbers."""
        kind = np.result_type(*(part.kind for part in parts))
        if not kind.hasobject:
            return cls(np.concatenate([part.stored for part in parts]), kind)
        # Blocks of texts only are merged without unpacking; one with other values has none.
        if not all(part.texts for part in parts):
            return cls.pack(np.concatenate([_to_objects(part.values) for part in parts]))
        texts = {text: at for at, text in enumerate(dict.fromkeys(text for part in parts for text in part.texts))}
        small = np.min_scalar_type(len(texts))
        places = [np.array([texts[text] for text in part.texts], small)[part.stored] for part in parts]
        return cls(np.concatenate(places), kind, tuple(texts))

    @property
    def values(self) -> np.ndarray:
        if self.texts:
            return np.array(self.texts, dtype=object)[self.stored]
        return self.stored.astype(self.kind)

    def rows(self, key: Any) -> PackedArray:
        return self._replace(stored=self.stored[key])


def _to_smallest_type(values: np.ndarray) -> np.ndarray:
    """Convert to the smallest type that holds all values."""
    types = {"i": (np.int8, np.int16, np.int32), "f": (np.float16, np.float32)}.get(values.dtype.kind, ())
    for one in types:
        with np.errstate(over="ignore"):
            small = values.astype(one)
        # Only a type that loses nothing, so that unpacked values are exactly those packed.
        if np.array_equal(small, values, equal_nan=values.dtype.kind == "f"):
            return small
    return values


def _to_objects(values: np.ndarray) -> np.ndarray:
    """Convert to an object array of Python values."""
    return values if values.dtype.hasobject else np.array(values.tolist(), dtype=object)


def _to_array(values: Sequence[Any]) -> np.ndarray:
    """Return a numeric array, or an object array if a value is not a number."""
    is_numeric = all(isinstance(value, int | float) for value in values)
    return np.asarray(values, dtype=None if is_numeric else object)


def nan_if_none(value: float | None) -> float:
    """Return the number, or NaN for None."""
    return math.nan if value is None else float(value)


def values_of(column: Any) -> list[Any]:
    """Return the values of a column as Python values."""
    return np.asarray(column).tolist()


def is_in(column: Any, wanted: Iterable[Any]) -> np.ndarray:
    """Return where the values of a column are among those wanted, shape (rows,)."""
    known = set(wanted)
    return np.array([value in known for value in values_of(column)], dtype=bool)


def values_by_key(keys: Any, values: Any) -> dict[Any, set[Any]]:
    """Return the distinct values of each key of another column, keys in order of occurrence."""
    found: dict[Any, set[Any]] = {}
    for key, value in zip(values_of(keys), values_of(values), strict=True):
        found.setdefault(key, set()).add(value)
    return found


def factorize(values: Iterable[Hashable]) -> tuple[np.ndarray, list[Any]]:
    """Return the index of each value among the distinct ones, shape (rows,), and these in order of occurrence."""
    places: dict[Any, int] = {}
    index = [places.setdefault(value, len(places)) for value in values]
    return np.array(index, dtype=int), list(places)


# Comparable rows of a table of seats


def has_different_seats(table: Tabular) -> bool:
    """Whether players took different seats, so that only players in the same seat are comparable."""
    return len({frozenset(roles) for roles in values_by_key(table["player"], table["role"]).values()}) > 1


def sorted_roles(table: Tabular) -> list[str]:
    """Return the roles that were taken, in the order of the seats."""
    seats = {role: min(taken) for role, taken in values_by_key(table["role"], table["seat"]).items()}
    return sorted(seats, key=lambda role: seats[role])


def find_labels(table: Tabular, specs: Iterable[str]) -> list[str]:
    """Return the labels in the ``player`` column of the specs that are in the table."""
    known = dict(zip(map(identity, values_of(table["spec"])), values_of(table["player"]), strict=True))
    return [known[identity(spec)] for spec in specs if identity(spec) in known]


def select_common_opponents(table: Rows, by_role: bool = False) -> Rows:
    """Select the rows against opponents that every player met, so that means over them are comparable.

    Without common opponents all rows are kept. `by_role` selects separately for each role and its players.
    """
    selected = np.zeros(len(table), bool)
    for role in sorted_roles(table) if by_role else [None]:
        asked = np.ones(len(table), bool) if role is None else is_in(table["role"], [role])
        players = values_by_key(table[asked]["opponent"], table[asked]["player"])
        everybody = set(values_of(table[asked]["player"]))
        common = asked & is_in(table["opponent"], [name for name, beside in players.items() if beside == everybody])
        selected |= common if common.any() else asked
    return table[selected]
