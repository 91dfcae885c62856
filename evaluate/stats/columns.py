"""A table of columns with the little that a summary asks of a data frame, so that a summary needs no pandas."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from econzoo.envs.core.extras import needed_for
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
    """Arrays of one length by their names.

    Args:
        arrays: Shape (rows,) each.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = dict(arrays)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Columns:
        """The columns of rows, in the order in which their names come up; NaN where a row lacks one."""
        blocks: list[tuple[int, dict[str, np.ndarray]]] = []
        left = iter(rows)
        while block := [*islice(left, BLOCK)]:
            names = dict.fromkeys(name for row in block for name in row)
            found = {name: _array([row.get(name, math.nan) for row in block]) for name in names}
            blocks.append((len(block), found))
        names = dict.fromkeys(name for _, found in blocks for name in found)
        return cls({name: _joined([found.pop(name, np.full(n, math.nan)) for n, found in blocks]) for name in names})

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or the rows where an array of booleans is True."""
        if isinstance(key, str):
            return self.arrays[key]
        if isinstance(key, np.ndarray) and key.dtype == bool and key.all():  # of large tables, no second one
            return Columns(self.arrays)
        return Columns({name: values[key] for name, values in self.arrays.items()})

    def __setitem__(self, name: str, values: Sequence[Any] | np.ndarray) -> None:
        """Adds or replaces a column."""
        self.arrays[name] = np.asarray(values)

    def __contains__(self, name: Any) -> bool:
        """Whether there is a column of this name."""
        return name in self.arrays

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self.arrays)

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.arrays.values()), ()))

    def data_frame(self) -> pd.DataFrame:
        """The same as a data frame."""
        with needed_for("a data frame"):
            import pandas as pd
        return pd.DataFrame({name: values.tolist() for name, values in self.arrays.items()})


BLOCK = 10_000
"""Rows that are in memory as such: as arrays they take a tenth of that."""


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays behind one another; numbers stay Python's own beside objects."""
    if any(part.dtype == object for part in parts):
        parts = [part if part.dtype == object else np.array(part.tolist(), dtype=object) for part in parts]
    return np.concatenate(parts)


def _array(values: Sequence[Any]) -> np.ndarray:
    """An array of numbers, or of the objects themselves where one is no number."""
    numbers = all(isinstance(value, int | float) for value in values)
    return np.asarray(values, dtype=None if numbers else object)


def or_nan(value: float | None) -> float:
    """The number, or NaN where there is none."""
    return math.nan if value is None else float(value)


def values_of(column: Any) -> list[Any]:
    """The values of a column as Python's own."""
    return np.asarray(column).tolist()


def among(column: Any, wanted: Iterable[Any]) -> np.ndarray:
    """Where the values of a column are among those wanted, shape (rows,)."""
    known = set(wanted)
    return np.array([value in known for value in values_of(column)], dtype=bool)


def met(keys: Any, values: Any) -> dict[Any, set[Any]]:
    """The distinct values that stand beside each key of another column, keys in the order of their first row."""
    found: dict[Any, set[Any]] = {}
    for key, value in zip(values_of(keys), values_of(values), strict=True):
        found.setdefault(key, set()).add(value)
    return found


def numbered(values: Iterable[Hashable]) -> tuple[np.ndarray, list[Any]]:
    """The place of each value among the distinct ones, shape (rows,), and these in the order of their first row."""
    places: dict[Any, int] = {}
    index = [places.setdefault(value, len(places)) for value in values]
    return np.array(index, dtype=int), list(places)


# Which rows of a table of seats compare like with like


def seats_differ(table: Tabular) -> bool:
    """Whether some players took other seats than others, so that only those in the same seat can be compared."""
    return len({frozenset(roles) for roles in met(table["player"], table["role"]).values()}) > 1


def sorted_roles(table: Tabular) -> list[str]:
    """The roles that were taken, in the order of the seats."""
    seats = {role: min(taken) for role, taken in met(table["role"], table["seat"]).items()}
    return sorted(seats, key=lambda role: seats[role])


def called(table: Tabular, specs: Iterable[str]) -> list[str]:
    """What the ``player`` column calls those of the specs that are in the table."""
    known = dict(zip(map(identity, values_of(table["spec"])), values_of(table["player"]), strict=True))
    return [known[identity(spec)] for spec in specs if identity(spec) in known]


def against_all(table: Rows, by_role: bool = False) -> Rows:
    """The rows against opponents that every player met: means over these compare like with like.

    If there is no such opponent all rows stay.

    Args:
        table: Of `econzoo.evaluate.analyses.frame.frame` or `econzoo.evaluate.analyses.frame.columns`.
        by_role: Ask this of every role by itself, for those that took it.
    """
    kept = np.zeros(len(table), bool)
    for role in sorted_roles(table) if by_role else [None]:
        asked = np.ones(len(table), bool) if role is None else among(table["role"], [role])
        players = met(table[asked]["opponent"], table[asked]["player"])
        everybody = set(values_of(table[asked]["player"]))
        common = asked & among(table["opponent"], [name for name, beside in players.items() if beside == everybody])
        kept |= common if common.any() else asked
    return table[kept]
