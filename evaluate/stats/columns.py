"""A table of columns with the little that a summary asks of a data frame, so that a summary needs no pandas."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.core.record.spec import identity

if TYPE_CHECKING:
    import pandas as pd


class Tabular(Protocol):
    """What `Columns` and `pandas.DataFrame` have in common."""

    def __getitem__(self, key: Any, /) -> Any:
        """A column by its name, or a table of the rows where an array of booleans is True."""

    def __len__(self) -> int:
        """The number of rows."""

    def __contains__(self, name: Any, /) -> bool:
        """Whether there is a column of this name."""


Rows = TypeVar("Rows", bound=Tabular)


class Columns:
    """Arrays of one length by their names, in as little memory as they need: a table may be of a million matches.

    Args:
        arrays: Shape (rows,) each.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._packed = {name: PackedArray.pack(values) for name, values in arrays.items()}

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Columns:
        """The columns of rows, in the order in which their names come up; NaN where a row lacks one."""
        parts: dict[str, list[PackedArray]] = {}
        left, before = iter(rows), list[int]()
        while block := [*islice(left, BLOCK)]:
            for name in dict.fromkeys([*parts, *(name for row in block for name in row)]):
                values = _to_array([row.get(name, math.nan) for row in block])
                missing = [PackedArray.pack(np.full(n, math.nan)) for n in before]
                parts.setdefault(name, missing).append(PackedArray.pack(values))
            before.append(len(block))
        made = cls({})
        made._packed = {name: PackedArray.concatenate(parts.pop(name)) for name in [*parts]}
        return made

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or the rows where an array of booleans is True."""
        if isinstance(key, str):
            return self._packed[key].values
        made = Columns({})
        every = isinstance(key, np.ndarray) and key.dtype == bool and key.all()  # of large tables, no second one
        made._packed = {name: one if every else one.rows(key) for name, one in self._packed.items()}
        return made

    def __setitem__(self, name: str, values: Sequence[Any] | np.ndarray) -> None:
        """Adds or replaces a column."""
        self._packed[name] = PackedArray.pack(np.asarray(values))

    def __contains__(self, name: Any) -> bool:
        """Whether there is a column of this name."""
        return name in self._packed

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self._packed)

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self._packed.values())).stored) if self._packed else 0

    def data_frame(self) -> pd.DataFrame:
        """The same as a data frame."""
        with explain_missing_library("a data frame"):
            import pandas as pd
        return pd.DataFrame({name: values_of(self[name]) for name in self})


BLOCK = 10_000
"""Rows that are in memory as such: as arrays they take a tenth of that."""


class PackedArray(NamedTuple):
    """An array in fewer bytes, none of which is lost.

    Attributes:
        stored: Shape (rows,): the values in the smallest type that has all of them, or their places among `texts`.
        kind: The type of the values.
        texts: The distinct values of a column of texts.
    """

    stored: np.ndarray
    kind: np.dtype[Any]
    texts: tuple[str, ...] = ()

    @classmethod
    def pack(cls, values: np.ndarray) -> PackedArray:
        """An array, packed."""
        if values.dtype == object and all(type(value) is str for value in values):
            places, texts = factorize(values)
            return cls(_to_smallest_type(places), values.dtype, tuple(texts))
        return cls(_to_smallest_type(values), values.dtype)

    @classmethod
    def concatenate(cls, parts: Sequence[PackedArray]) -> PackedArray:
        """Arrays behind one another; numbers stay Python's own beside objects."""
        kind = np.result_type(*(part.kind for part in parts))
        if not kind.hasobject:
            return cls(np.concatenate([part.stored for part in parts]), kind)
        if not all(part.texts for part in parts):
            return cls.pack(np.concatenate([_to_objects(part.values) for part in parts]))
        texts = {text: at for at, text in enumerate(dict.fromkeys(text for part in parts for text in part.texts))}
        small = np.min_scalar_type(len(texts))
        places = [np.array([texts[text] for text in part.texts], small)[part.stored] for part in parts]
        return cls(np.concatenate(places), kind, tuple(texts))

    @property
    def values(self) -> np.ndarray:
        """The array as it was."""
        if self.texts:
            return np.array(self.texts, dtype=object)[self.stored]
        return self.stored.astype(self.kind)

    def rows(self, key: Any) -> PackedArray:
        """Some of the rows."""
        return self._replace(stored=self.stored[key])


def _to_smallest_type(values: np.ndarray) -> np.ndarray:
    """The same values in the smallest type that has all of them."""
    types = {"i": (np.int8, np.int16, np.int32), "f": (np.float16, np.float32)}.get(values.dtype.kind, ())
    for one in types:
        with np.errstate(over="ignore"):
            small = values.astype(one)
        if np.array_equal(small, values, equal_nan=values.dtype.kind == "f"):
            return small
    return values


def _to_objects(values: np.ndarray) -> np.ndarray:
    """The same as objects, Python's own."""
    return values if values.dtype.hasobject else np.array(values.tolist(), dtype=object)


def _to_array(values: Sequence[Any]) -> np.ndarray:
    """An array of numbers, or of the objects themselves where one is no number."""
    numbers = all(isinstance(value, int | float) for value in values)
    return np.asarray(values, dtype=None if numbers else object)


def nan_if_none(value: float | None) -> float:
    """The number, or NaN where there is none."""
    return math.nan if value is None else float(value)


def values_of(column: Any) -> list[Any]:
    """The values of a column as Python's own."""
    return np.asarray(column).tolist()


def is_in(column: Any, wanted: Iterable[Any]) -> np.ndarray:
    """Where the values of a column are among those wanted, shape (rows,)."""
    known = set(wanted)
    return np.array([value in known for value in values_of(column)], dtype=bool)


def values_by_key(keys: Any, values: Any) -> dict[Any, set[Any]]:
    """The distinct values that stand beside each key of another column, keys in the order of their first row."""
    found: dict[Any, set[Any]] = {}
    for key, value in zip(values_of(keys), values_of(values), strict=True):
        found.setdefault(key, set()).add(value)
    return found


def factorize(values: Iterable[Hashable]) -> tuple[np.ndarray, list[Any]]:
    """The place of each value among the distinct ones, shape (rows,), and these in the order of their first row."""
    places: dict[Any, int] = {}
    index = [places.setdefault(value, len(places)) for value in values]
    return np.array(index, dtype=int), list(places)


# Which rows of a table of seats compare like with like


def has_different_seats(table: Tabular) -> bool:
    """Whether some players took other seats than others, so that only those in the same seat can be compared."""
    return len({frozenset(roles) for roles in values_by_key(table["player"], table["role"]).values()}) > 1


def sorted_roles(table: Tabular) -> list[str]:
    """The roles that were taken, in the order of the seats."""
    seats = {role: min(taken) for role, taken in values_by_key(table["role"], table["seat"]).items()}
    return sorted(seats, key=lambda role: seats[role])


def find_labels(table: Tabular, specs: Iterable[str]) -> list[str]:
    """What the ``player`` column calls those of the specs that are in the table."""
    known = dict(zip(map(identity, values_of(table["spec"])), values_of(table["player"]), strict=True))
    return [known[identity(spec)] for spec in specs if identity(spec) in known]


def select_common_opponents(table: Rows, by_role: bool = False) -> Rows:
    """The rows against opponents that every player met: means over these compare like with like.

    If there is no such opponent all rows stay.

    Args:
        table: Of `econzoo.evaluate.analyses.frame.frame` or `econzoo.evaluate.analyses.frame.columns`.
        by_role: Ask this of every role by itself, for those that took it.
    """
    kept = np.zeros(len(table), bool)
    for role in sorted_roles(table) if by_role else [None]:
        asked = np.ones(len(table), bool) if role is None else is_in(table["role"], [role])
        players = values_by_key(table[asked]["opponent"], table[asked]["player"])
        everybody = set(values_of(table[asked]["player"]))
        common = asked & is_in(table["opponent"], [name for name, beside in players.items() if beside == everybody])
        kept |= common if common.any() else asked
    return table[kept]
