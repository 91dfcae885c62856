"""Estimates over the games of one setting, with 95% intervals over games."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from econzoo.evaluate.stats import Interval, interval_ends, precision, ratios, wilson


def exact_interval(value: float, games: int) -> Interval:
    """Return an interval without ends, for a deterministic number."""
    return Interval(value, math.nan, math.nan, games)


def rate(successes: Sequence[bool]) -> Interval:
    """Estimate a success rate with Wilson's interval."""
    return wilson(sum(successes), len(successes))


def means(values: np.ndarray) -> list[Interval]:
    """Estimate the means of columns over games.

    Args:
        values: Shape (games, k); NaN where undefined.
    """
    known = ~np.isnan(values)
    return _ratios(np.where(known, values, 0.0), known.astype(float))


def mean(values: Sequence[float]) -> Interval:
    """Estimate the mean of one value per game; see `means`."""
    return means(np.array(values, float)[:, None])[0]


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Interval:
    """Estimate a ratio of sums over games; infinite if only the denominators' sum is 0."""
    top, bottom = np.array(numerators, float)[:, None], np.array(denominators, float)[:, None]
    known = ~np.isnan(top)
    # Games, not games with a denominator: one without survivors is part of the ratio of sums.
    rows = int(known.sum())
    if np.nansum(top) > 0 and not bottom[known].sum():
        return exact_interval(math.inf, rows)
    return _ratios(np.where(known, top, 0.0), np.where(known, bottom, 0.0))[0]._replace(rows=rows)


def _ratios(numerators: np.ndarray, denominators: np.ndarray) -> list[Interval]:
    found, influence = ratios(numerators, denominators)
    low, high = interval_ends(found, precision(influence))
    rows = np.count_nonzero(denominators, axis=0)
    return [Interval(*cell) for cell in zip(found.tolist(), low.tolist(), high.tolist(), rows.tolist(), strict=True)]
