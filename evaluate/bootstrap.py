"""The cluster bootstrap for statistics that are no ratio of two sums: correlations, survival, calibration errors.

As in `econzoo.evaluate.statistics`, all rows of one cluster (market and seed) go into a resample together. A resample
is a weight for every row, how often its cluster was drawn, so a statistic is written once, for weights.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np

from econzoo.evaluate.statistics import CONFIDENCE, RESAMPLES, how_often

Statistic = Callable[[np.ndarray], np.ndarray]
"""Weights of shape (resamples, rows) to values of shape (resamples, k); NaN where one is not defined."""

CELLS = 2_000_000
"""Weights that are held at once."""


def bootstrap(
    statistic: Statistic, clusters: Sequence[Hashable], resamples: int = RESAMPLES, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of a statistic with percentile intervals.

    Args:
        statistic: See `Statistic`.
        clusters: The cluster of every row.
        resamples: How many.
        seed: Of the resampling.

    Returns:
        Values, lower and upper ends, each of shape (k,); the ends are NaN with fewer than two clusters. Resamples
        in which a value is not defined count for nothing.
    """
    codes = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
    index = np.array([codes[name] for name in clusters], int)
    values = statistic(np.ones((1, len(index))))[0]
    if len(codes) < 2:
        return values, np.full_like(values, np.nan), np.full_like(values, np.nan)
    drawn = np.concatenate([statistic(weights) for weights in _weights(index, len(codes), resamples, seed)])
    tail = (1 - CONFIDENCE) / 2
    low, high = _quantile(drawn, tail), _quantile(drawn, 1 - tail)
    known = ~np.isnan(values)
    return values, np.where(known, low, np.nan), np.where(known, high, np.nan)


def _weights(index: np.ndarray, clusters: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """How often each row is in each resample, a batch of resamples at a time."""
    rng = np.random.default_rng(seed)
    size = max(1, CELLS // max(len(index), clusters))
    for start in range(0, resamples, size):
        drawn = rng.integers(clusters, size=(min(size, resamples - start), clusters))
        yield how_often(drawn, clusters)[:, index]


def group_sums(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Sums of the columns that belong together.

    Args:
        values: Shape (resamples, rows).
        groups: The group of every row, 0, 1, 2, ...; none is empty. Shape (rows,).

    Returns:
        Shape (resamples, groups).
    """
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
    return np.add.reduceat(values[:, order], starts, axis=1)


def _quantile(drawn: np.ndarray, part: float) -> np.ndarray:
    """The quantile of each column, over the numbers in it; infinity is one."""
    out = np.full(drawn.shape[1], np.nan)
    for column, values in enumerate(drawn.T):
        known = np.sort(values[~np.isnan(values)])
        if len(known):
            place = part * (len(known) - 1)
            below, above = known[int(np.floor(place))], known[int(np.ceil(place))]
            out[column] = below if below == above else below + (place % 1) * (above - below)
    return out
