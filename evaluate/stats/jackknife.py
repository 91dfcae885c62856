"""Jackknife intervals over clusters for smooth statistics that are not ratios (correlations, curves, slopes).

The change of a statistic without a cluster is the cluster's influence (Efron and Stein 1981); the rest is as in
`econzoo.evaluate.stats.intervals`. A statistic is a function of row weights, and has to be smooth in them: the
jackknife is invalid for medians.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from econzoo.evaluate.stats.columns import Tabular
from econzoo.evaluate.stats.estimates import Population, clusters_of, population
from econzoo.evaluate.stats.intervals import interval_ends, precision

Statistic = Callable[[np.ndarray], np.ndarray]
"""From weights of shape (k, rows) to values of shape (k, statistics); NaN where undefined."""

Cases = float | np.ndarray
"""Number of cases if values are proportions, a scalar or shape (statistics,); see
`econzoo.evaluate.stats.intervals.interval_ends`.
"""

Scale = tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]
"""Transformation to a scale on which a statistic is nearly normal, and its inverse."""

IDENTITY_SCALE: Scale = (np.asarray, np.asarray)
FISHER_SCALE: Scale = (lambda r: np.arctanh(np.clip(r, -1 + 1e-9, 1 - 1e-9)), np.tanh)
"""Fisher's transformation of correlations (1915), clipped as it is infinite at -1 and 1."""

MAX_CLUSTERS = 500
"""Maximum clusters left out one by one; with more, several are left out together."""

CELLS = 2_000_000
"""Maximum weights in memory."""


def jackknife(
    statistic: Statistic,
    table: Tabular,
    cases: Cases = 0.0,
    scale: Scale = IDENTITY_SCALE,
    over: Population | None = None,
    is_skewed: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute a statistic with 95% intervals.

    Args:
        over: Population of the intervals; None: see `econzoo.evaluate.stats.estimates.population`.
        is_skewed: Whether estimates are as skewed as the data. Slopes over evenly spaced points are not, and correcting
            for spurious skewness makes intervals too short.

    Returns:
        Values, lower and upper ends, each of shape (statistics,); the ends are NaN without an interval.
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
    """Compute a jackknife for given clusters and strata; see `econzoo.evaluate.stats.estimates.clusters_of`."""
    transform, inverse = scale
    counts = np.ones(len(strata))
    if len(strata) > MAX_CLUSTERS:
        groups, strata = _group_clusters(strata)
        clusters, counts = groups[clusters], np.bincount(groups).astype(float)
    strata = np.where(np.bincount(strata)[strata] > 1, strata, strata.max() + 1)  # as in `precision`
    sizes = np.bincount(strata)[strata].astype(float)
    values = statistic(np.ones((1, len(clusters))))[0]
    found = transform(values)
    without = np.concatenate([transform(statistic(weights)) for weights in _weights(clusters, strata, counts)])
    with np.errstate(all="ignore"):
        # So scaled, `precision` gives the jackknife variance, (n - 1) / n times the sum of squares.
        influence = (found - without) * ((sizes - 1) / sizes)[:, None]
    precise = precision(influence, strata)
    low, high = interval_ends(found, precise if is_skewed else precise.symmetric(), cases)
    return values, inverse(low), inverse(high)


def _group_clusters(strata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a group of each cluster, about `MAX_CLUSTERS` in all, and the stratum of each group.

    Groups are of one stratum; of too many strata, all count as one.
    """
    if 2 * (int(strata.max()) + 1) > MAX_CLUSTERS:
        strata = np.zeros_like(strata)
    sizes = np.bincount(strata)
    counts = np.maximum(np.minimum(sizes, 2), sizes * MAX_CLUSTERS // len(strata))
    order, places = np.argsort(strata, kind="stable"), np.empty_like(strata)
    places[order] = np.arange(len(strata)) - (np.cumsum(sizes) - sizes)[strata[order]]
    return (np.cumsum(counts) - counts)[strata] + places % counts[strata], np.repeat(np.arange(len(sizes)), counts)


def _weights(clusters: np.ndarray, strata: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """Yield batches of weights that leave out each group of clusters, reweighting the others of its stratum.

    Args:
        counts: Clusters in each group.
    """
    size, totals = max(1, CELLS // len(clusters)), np.bincount(strata, counts)[strata]
    for start in range(0, len(strata), size):
        batch = np.arange(start, min(start + size, len(strata)))
        # The stratum keeps its total weight: another sample of it would have as many clusters.
        more = totals[batch] / np.maximum(totals[batch] - counts[batch], 1)
        weights = np.where(strata[clusters] == strata[batch][:, None], more[:, None], 1.0)
        weights[clusters == batch[:, None]] = 0.0
        yield weights
