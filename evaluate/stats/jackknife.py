"""Intervals of statistics that are no ratio of two sums (correlations, curves, slopes), by leaving out one cluster.

What a statistic loses without a cluster is what the cluster adds to it (Efron and Stein 1981); the rest is as in
`econzoo.evaluate.stats.intervals`. A statistic is written once, for weights of rows, and has to be smooth in them: of a
median the jackknife knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from econzoo.evaluate.stats.columns import Tabular
from econzoo.evaluate.stats.estimates import Population, clusters_of, population
from econzoo.evaluate.stats.intervals import interval_ends, precision

Statistic = Callable[[np.ndarray], np.ndarray]
"""Weights of shape (k, rows) to values of shape (k, statistics); NaN where one is not defined."""

Cases = float | np.ndarray
"""Of how many cases values are shares, all or shape (statistics,); see
`econzoo.evaluate.stats.intervals.interval_ends`.
"""

Scale = tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]
"""To a scale on which a statistic is nearly normal, and back."""

IDENTITY_SCALE: Scale = (np.asarray, np.asarray)
FISHER_SCALE: Scale = (lambda r: np.arctanh(np.clip(r, -1 + 1e-9, 1 - 1e-9)), np.tanh)
"""For correlations (Fisher 1915)."""

MAX_CLUSTERS = 500
"""Clusters that are left out one by one; of more, some are left out together."""

CELLS = 2_000_000
"""Weights that are held at once."""


def jackknife(
    statistic: Statistic,
    table: Tabular,
    cases: Cases = 0.0,
    scale: Scale = IDENTITY_SCALE,
    over: Population | None = None,
    is_skewed: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of a statistic with 95% intervals.

    Args:
        statistic: See `Statistic`; a row of the table is a row of it.
        table: Columns ``cluster``, and ``market`` if there are several settings.
        cases: See `Cases`.
        scale: See `Scale`.
        over: Of what the intervals speak; None: see `econzoo.evaluate.stats.estimates.population`.
        is_skewed: Whether estimates are as skew as the data. A slope over evenly spread points is not, and a correction
            for a skewness that is none but for chance makes intervals too short.

    Returns:
        Values, lower and upper ends, each of shape (statistics,); the ends are NaN where there is no interval.
    """
    clusters, strata = clusters_of(table, over or population(table))
    return jackknife_clusters(statistic, clusters, strata, cases, scale, is_skewed)


def jackknife_clusters(
    statistic: Statistic,
    clusters: np.ndarray,
    strata: np.ndarray,
    cases: Cases = 0.0,
    scale: Scale = IDENTITY_SCALE,
    is_skewed: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for clusters and strata that are known; see `econzoo.evaluate.stats.estimates.clusters_of`."""
    there, back = scale
    if len(strata) > MAX_CLUSTERS:
        clusters, strata = clusters % MAX_CLUSTERS, np.zeros(MAX_CLUSTERS, int)
    strata = np.where(np.bincount(strata)[strata] > 1, strata, strata.max() + 1)  # as `precision` takes them
    sizes = np.bincount(strata)[strata].astype(float)
    values = statistic(np.ones((1, len(clusters))))[0]
    found = there(values)
    without = np.concatenate([there(statistic(weights)) for weights in _weights(clusters, strata, sizes)])
    with np.errstate(all="ignore"):
        influence = (found - without) * ((sizes - 1) / sizes)[:, None]
    precise = precision(influence, strata)
    low, high = interval_ends(found, precise if is_skewed else precise.symmetric(), cases)
    return values, back(low), back(high)


def _weights(clusters: np.ndarray, strata: np.ndarray, sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Weights without each of the clusters, the others of its stratum in its place; a batch of them at a time."""
    size = max(1, CELLS // len(clusters))
    for start in range(0, len(strata), size):
        batch = np.arange(start, min(start + size, len(strata)))
        more = sizes[batch] / np.maximum(sizes[batch] - 1, 1)
        weights = np.where(strata[clusters] == strata[batch][:, None], more[:, None], 1.0)
        weights[clusters == batch[:, None]] = 0.0
        yield weights
