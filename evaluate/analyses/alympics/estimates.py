"""Estimates over the games of one setting, with 95% intervals over games."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from econzoo.evaluate.stats.intervals import Interval, interval_ends, precision, ratios, wilson


def exact_interval(value: float, games: int) -> Interval:
    """A number that no chance is in."""
    return Interval(value, math.nan, math.nan, games)


def rate(successes: Sequence[bool]) -> Interval:
    """Share of games in which something happened, with Wilson's interval.

    Args:
        successes: One for each game; at least one.
    """
    return wilson(sum(successes), len(successes))


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


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Interval:
    """Sum over sum, one of each a game; infinity where only the sum below is 0."""
    top, bottom = np.array(numerators, float)[:, None], np.array(denominators, float)[:, None]
    known = ~np.isnan(top)
    found = _ratios(np.where(known, top, 0.0), np.where(known, bottom, 0.0))[0]
    rows = int(known.sum())
    return (
        exact_interval(math.inf, rows) if np.nansum(top) > 0 and not bottom[known].sum() else found._replace(rows=rows)
    )


def _ratios(numerators: np.ndarray, denominators: np.ndarray) -> list[Interval]:
    found, influence = ratios(numerators, denominators)
    low, high = interval_ends(found, precision(influence))
    rows = np.count_nonzero(denominators, axis=0)
    return [Interval(*cell) for cell in zip(found.tolist(), low.tolist(), high.tolist(), rows.tolist(), strict=True)]
