"""Worst and best cases of means of which observations are missing: each at its least, and at its greatest value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import Tabular, factorize, values_of
from econzoo.evaluate.stats.intervals import Interval

MISSING, WORST, BEST = "missing", "worst_case", "best_case"
"""Estimates: share of missing matches, and the mean with each of them at its least and at its greatest value."""

MAX_MISSING = 0.01
"""Share of a player's matches from which on its bounds are shown."""

WEIGHT = "weight"
"""Column: weight of a row in the mean."""


class ExtremeMeans(NamedTuple):
    """A mean of which observations are missing.

    Attributes:
        missing: Share of missing observations.
        rows: Number of observations, missing ones included.
    """

    missing: float
    worst: float
    best: float
    rows: int

    @property
    def estimates(self) -> dict[str, Interval]:
        """Entries of a table of estimates."""
        found = {MISSING: self.missing, WORST: self.worst, BEST: self.best}
        return {name: Interval(value, math.nan, math.nan, self.rows) for name, value in found.items()}


def cases_of(table: Tabular, by: Sequence[str]) -> dict[Any, ExtremeMeans]:
    """Compute the cases of every group of rows.

    Args:
        table: Columns of `by`, `WORST` and `BEST` (the least and greatest value of a row, equal if it is known; NaN if
            undefined), `MISSING` (0 or 1) and `WEIGHT`.

    Returns:
        Group to its case; a group is a value if `by` has one column, else a tuple.
    """
    keys = [values_of(table[name]) for name in by]
    group, names = factorize(zip(*keys, strict=True) if len(by) > 1 else keys[0])
    low, high, missing, weight = (np.asarray(table[name], float) for name in (WORST, BEST, MISSING, WEIGHT))
    weight = np.where(np.isnan(low) | np.isnan(high), 0.0, weight)

    def means(values: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            # Values may be infinite (an objective without bounds), and infinity times a weight of 0 is not 0.
            sums = np.bincount(group, np.where(weight > 0, values * weight, 0.0), len(names))
            return np.asarray(sums / np.bincount(group, weight, len(names)))

    columns = (means(missing), means(low), means(high), np.bincount(group[weight > 0], minlength=len(names)))
    return {name: ExtremeMeans(*cell) for name, *cell in zip(names, *(one.tolist() for one in columns), strict=True)}


def add_cases(
    found: dict[Any, dict[str, Interval]], table: Tabular, by: Sequence[str]
) -> dict[Any, dict[str, Interval]]:
    """Add the cases of a table to estimates; groups without a single known row get NaN for all others."""
    unknown = dict.fromkeys(next(iter(found.values()), ()), Interval(math.nan, math.nan, math.nan, 0))
    cases = {key: one.estimates for key, one in cases_of(table, by).items()}
    return {key: {**found.get(key, unknown), **cases.get(key, {})} for key in dict.fromkeys([*found, *cases])}


def count_established(ranking: Sequence[Mapping[str, Interval]]) -> int:
    """Count the first places of a ranking that hold whatever the missing observations are."""
    if not any(WORST in one for one in ranking):
        return len(ranking)
    worst, best = ([np.nan_to_num(one[name].mean, nan=-math.inf) for one in ranking] for name in (WORST, BEST))
    # A place holds if its worst case is not below the best case of any later one.
    holds = [worst[at] >= max(best[at + 1 :], default=-math.inf) for at in range(len(ranking))]
    return next((at for at, one in enumerate(holds) if not one), len(ranking))


def gap_cases(first: Mapping[str, Interval], other: Mapping[str, Interval]) -> tuple[float, float]:
    """Return the least and greatest difference of two means; NaN without missing observations."""
    if WORST not in first or WORST not in other:
        return math.nan, math.nan
    return first[WORST].mean - other[BEST].mean, first[BEST].mean - other[WORST].mean
