"""Estimates over the games of one setting, with 95% intervals over games."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from econzoo.evaluate.stats.intervals import Interval, ends, precision, ratios, wilson


def exactly(value: float, games: int) -> Interval:
    """A number that no chance is in."""
    return Interval(value, math.nan, math.nan, games)


def rate(happened: Sequence[bool]) -> Interval:
    """Share of games in which something happened, with Wilson's interval.

    Args:
        happened: One for each game; at least one.
    """
    return wilson(sum(happened), len(happened))


def means(values: np.ndarray) -> list[Interval]:
    """Means of columns over games.

    Args:
        values: Shape (games, k); NaN where something is not defined.
    """
    known = ~np.isnan(values)
    return _ratios(np.where(known, values, 0.0), known.astype(float))


def mean(values: Sequence[float]) -> Interval:
    """`means` of one column."""
    return means(np.array(values, float)[:, None])[0]


def ratio(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Sum over sum, one of each a game; infinity where only the sum below is 0."""
    top, bottom = np.array(above, float)[:, None], np.array(below, float)[:, None]
    known = ~np.isnan(top)
    found = _ratios(np.where(known, top, 0.0), np.where(known, bottom, 0.0))[0]
    rows = int(known.sum())
    return exactly(math.inf, rows) if np.nansum(top) > 0 and not bottom[known].sum() else found._replace(rows=rows)


def _ratios(above: np.ndarray, below: np.ndarray) -> list[Interval]:
    found, influence = ratios(above, below)
    low, high = ends(found, precision(influence))
    rows = np.count_nonzero(below, axis=0)
    return [Interval(*cell) for cell in zip(found.tolist(), low.tolist(), high.tolist(), rows.tolist(), strict=True)]
