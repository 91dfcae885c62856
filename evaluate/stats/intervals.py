"""Confidence intervals in closed form, from how much each independent part of the data adds to an estimate.

An estimate is nearly a sum of what independent clusters add to it, their *influence*: for a ratio of two sums that of
the delta method, for any smooth statistic that of the jackknife. From the influences come the variance of the
estimate, its degrees of freedom and its skewness, and from these an interval of Student's t that is corrected for
skewness (Hall 1992, On the removal of skewness by transformation). How often these intervals cover is in
docs/statistics.md.

A share of cases has the score interval (Wilson 1927) of the number of independent cases that are worth as much as the
clusters (Korn and Graubard 1998), so that it has a width also at 0 and at 1. Where every cluster is one case, that is
Wilson's own: there is no variance to estimate beside the share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95

MIN_CLUSTERS = 6
"""Clusters below which there is no interval: too few to know how far such an estimate may be off."""


TOO_FEW, ALL_ALIKE = f"under {MIN_CLUSTERS} draws", "all alike"
"""Why there is no interval, in a table."""

MAX_STEEPNESS = 4.0
"""How much further than t the end of an interval may move, at most: the cubic that corrects for skewness is upright at
one place, near which its end is anywhere; from where it is steeper it goes on straight."""


CELLS = 1_000_000
"""Numbers of a matrix that are in memory at once, some ten times over, where it may have many more."""


class Interval(NamedTuple):
    """An estimate.

    Attributes:
        mean: The estimate, mostly a mean; NaN where it is not defined.
        low: Lower end; NaN where there is no interval: there are fewer than `MIN_CLUSTERS` clusters, or all are alike.
        high: Upper end.
        rows: How many rows the estimate is made of.
    """

    mean: float
    low: float
    high: float
    rows: int

    @property
    def no_interval_reason(self) -> str:
        """Why there is no interval, in a table; empty where there is one, or nobody knows."""
        return ""


class TooFewClusters(Interval):
    """An estimate of fewer than `MIN_CLUSTERS` clusters, without an interval."""

    __slots__ = ()

    @property
    def no_interval_reason(self) -> str:
        """That there are too few."""
        return TOO_FEW


class IdenticalClusters(Interval):
    """An estimate of clusters that are all alike, without an interval."""

    __slots__ = ()

    @property
    def no_interval_reason(self) -> str:
        """That they are alike."""
        return ALL_ALIKE


class Precision(NamedTuple):
    """How precise estimates are; arrays of shape (k,).

    Attributes:
        variance: Of the estimates.
        freedom: Degrees of freedom of the variances (Satterthwaite 1946).
        tailed_freedom: The same for what has tails as heavy as the influences (O'Neill 2014): fewer, but not below
            what the fewest clusters have.
        design_freedom: Degrees of freedom by the design: clusters less strata.
        skewness: Of the distribution of the estimates.
        clusters: How many add to them.
    """

    variance: np.ndarray
    freedom: np.ndarray
    tailed_freedom: np.ndarray
    design_freedom: np.ndarray
    skewness: np.ndarray
    clusters: np.ndarray

    def symmetric(self) -> Precision:
        """The same of estimates that are not skew, however skew and heavy-tailed the influences."""
        return self._replace(skewness=np.zeros_like(self.skewness), tailed_freedom=self.freedom)


def ratios(above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratios of the sums of columns, and what each row adds to them.

    Args:
        above: Numerators, shape (clusters, k).
        below: Denominators, same shape.

    Returns:
        The ratios, shape (k,), NaN where nothing is divided by; the influences, shape (clusters, k), NaN where a
        cluster has no part in a ratio.
    """
    top, bottom = above.sum(axis=0), below.sum(axis=0)
    found = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    with np.errstate(all="ignore"):
        influence = (above - found * below) / bottom
    return found, np.where((above != 0) | (below != 0), influence, np.nan)


def precision(influence: np.ndarray, strata: np.ndarray | None = None) -> Precision:
    """How precise estimates are whose parts are known.

    Args:
        influence: What each cluster adds to each estimate, shape (clusters, k); NaN: it has no part in it.
        strata: Shape (clusters,), whole numbers from 0. Clusters are drawn anew within their stratum only, as seeds
            within a setting that stays the same; strata of one cluster are taken together as if drawn from one. None:
            all are of one stratum.
    """
    known = np.isfinite(influence)
    n, centred = _central_sums(influence, known, np.zeros(len(influence), int) if strata is None else strata)
    squares, cubes, fourths = centred(2), centred(3), centred(4)
    with np.errstate(all="ignore"):
        variances = np.where(n > 1, squares * n / (n - 1), 0.0)
        thirds = np.where(n > 2, cubes * n**2 / ((n - 1) * (n - 2)), 0.0)
        variance, clusters = variances.sum(axis=0), n.sum(axis=0)
        parts = np.where(n > 1, variances**2 / np.stack([n - 1, 2 * n]), 0.0).sum(axis=1)
        tails = np.fmax(fourths.sum(axis=0) / np.where(n > 0, squares**2 / n, 0.0).sum(axis=0) - 3, 0.0)
        freedom, tailed = (variance**2 / part for part in (parts[0], parts[0] + tails * parts[1]))
        skewness = np.nan_to_num(thirds.sum(axis=0) / variance**1.5, posinf=0.0, neginf=0.0)
        lonely = (n == 1).sum(axis=0)  # one more that varies nobody knows how much: as much as the others
        variance = variance * clusters / np.where(lonely, clusters - 1, clusters)
    design = np.maximum(n - 1, 0).sum(axis=0)
    freedom = np.where(np.isfinite(freedom), freedom, design)
    tailed = np.fmax(tailed, np.minimum(freedom, MIN_CLUSTERS - 1.0))
    return Precision(variance, freedom, tailed, design, skewness, clusters.astype(int))


def _central_sums(
    influence: np.ndarray, known: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Clusters in each stratum, shape (strata + 1, k), and sums there of powers of deviations from its mean.

    Clusters that are alone in their stratum stand in the last row.
    """
    added = _make_stratum_sums(strata)
    alone = known & (added(known) == 1)[strata]

    def sums(values: np.ndarray) -> np.ndarray:
        return np.vstack([added(np.where(alone, 0.0, values)), np.where(alone, values, 0.0).sum(axis=0)])

    n = sums(known.astype(float))
    filled = np.where(known, influence, 0.0)
    with np.errstate(all="ignore"):
        means = np.nan_to_num(sums(filled) / n)
    apart = np.where(known, filled - np.where(alone, means[-1], means[:-1][strata]), 0.0)
    return n, lambda power: sums(apart**power)


def _make_stratum_sums(strata: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Adds the rows of an array by their stratum, of so many strata at once that `CELLS` is enough."""
    every, blocks = int(strata.max(initial=0)) + 1, []
    some = max(1, CELLS // max(1, len(strata)))
    for first in range(0, every, some):
        rows = np.flatnonzero((first <= strata) & (strata < first + some)) if every > some else np.arange(len(strata))
        blocks.append((rows, np.eye(min(some, every - first))[strata[rows] - first].T))
    return lambda values: np.concatenate([ones @ values[rows] for rows, ones in blocks])


def quantile_of_t(probability: float, freedom: np.ndarray) -> np.ndarray:
    """Quantiles of Student's t, by the expansion of Fisher and Cornish (1960); right to 0.2% from 5 degrees on."""
    z, v = NormalDist().inv_cdf(probability), np.maximum(np.asarray(freedom, float), 2.0)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / v + second / v**2 + third / v**3 + fourth / v**4


def interval_ends(
    means: np.ndarray, precisions: Precision, cases: np.ndarray | float = 0.0, confidence: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of intervals.

    Args:
        means: The estimates, shape (k,).
        precisions: Of the estimates.
        cases: Of how many cases each is a share, from 0 to 1; infinite if the variance of one is not that of a yes or
            no; 0: it is no share.
        confidence: Of the intervals, 0 to 1.

    Returns:
        Two arrays of shape (k,); NaN where there is no interval.
    """
    shares, part = np.asarray(cases) > 0, (1 + confidence) / 2
    quantile = quantile_of_t(part, precisions.tailed_freedom)
    error = np.sqrt(precisions.variance)
    varies = error > 1e-12 * np.maximum(1e-300, np.abs(means))
    low = means - skewness_corrected_t(quantile, precisions.skewness) * error
    high = means - skewness_corrected_t(-quantile, precisions.skewness) * error
    scores = share_ends(means, precisions, cases, part)
    low, high = np.where(shares, scores[0], low), np.where(shares, scores[1], high)
    told = varies | shares & (np.isfinite(cases) | (means == 0) | (means == 1))
    told &= (precisions.design_freedom >= MIN_CLUSTERS - 1) & np.isfinite(means)
    return np.where(told, low, np.nan), np.where(told, high, np.nan)


def has_too_few_clusters(precisions: Precision) -> list[bool]:
    """Of each estimate that has no interval, whether there are too few clusters: else all are alike."""
    few: list[bool] = (precisions.design_freedom < MIN_CLUSTERS - 1).tolist()
    return few


def payoff_ends(
    mean: np.ndarray,
    error: np.ndarray,
    skewness: np.ndarray,
    clusters: np.ndarray,
    confidence: float = CONFIDENCE,
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of intervals of payoffs, of the shape of the means; with no clusters those of a normal distribution."""
    freedom = np.where(clusters > 0, clusters - 1.0, 1e9)
    parts = (error**2, freedom, freedom, freedom, np.broadcast_to(skewness, mean.shape), clusters)
    low, high = interval_ends(mean.ravel(), Precision(*(np.ravel(part) for part in parts)), confidence=confidence)
    return low.reshape(mean.shape), high.reshape(mean.shape)


def difference_ends(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of intervals of differences of independent estimates, from the intervals of both (Zou and Donner 2008).

    Args:
        one: Estimates, lower and upper ends, shape (3, k).
        other: Of what is taken away, same shape.

    Returns:
        Two arrays of shape (k,).
    """
    (first, *ends_of_first), (second, *ends_of_second) = one, other
    below = np.hypot(first - ends_of_first[0], ends_of_second[1] - second)
    above = np.hypot(ends_of_first[1] - first, second - ends_of_second[0])
    return first - second - below, first - second + above


def holm(gaps: np.ndarray, precisions: Precision) -> np.ndarray:
    """Which differences are not 0 when all of them are counted, shape (k,) (Holm 1979).

    The most certain one has to leave 0 out of its interval at a level of 1 - 0.05 / k, the next one at one of
    1 - 0.05 / (k - 1), and so on; after the first that does not none counts.
    """
    with np.errstate(all="ignore"):
        certain = np.nan_to_num(np.abs(gaps) / np.sqrt(precisions.variance), posinf=0.0)
    distinct = np.zeros(len(gaps), bool)
    for done, at in enumerate(np.argsort(-certain, kind="stable")):
        low, high = interval_ends(gaps, precisions, confidence=1 - (1 - CONFIDENCE) / (len(gaps) - done))
        if not (low[at] > 0 or high[at] < 0):
            break
        distinct[at] = True
    return distinct


def skewness_corrected_t(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The t that a skew estimate has where one that is not skew has `t`.

    A cubic that only rises (Hall 1992), by no more than `MAX_STEEPNESS` times what t does.
    """
    a, b = skewness / 3, skewness / 6
    small = np.abs(a) < 1e-8
    divisor = np.where(small, 1.0, a)
    cube = 1 + 3 * a * (t - b)
    upper = np.maximum(cube, MAX_STEEPNESS**-1.5)
    return np.where(small, t, (np.cbrt(upper) - 1) / divisor + MAX_STEEPNESS * (cube - upper) / (3 * divisor))


def share_ends(
    shares: np.ndarray, precisions: Precision, cases: np.ndarray | float, probability: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the score intervals of shares of cases that come in clusters (Korn and Graubard 1998).

    Cases are worth fewer independent ones, or more, by how the clusters vary beside them; the quantile is as much wider
    than that of the normal distribution as Student's with the clusters' degrees of freedom is than with those of cases.
    Where none or all of the cases count, nothing is known of that: then a cluster is worth one case.

    Args:
        shares: From 0 to 1.
        precisions: Of the shares.
        cases: Of how many each is a share.
        probability: Which quantile of the score.
    """
    p = np.clip(shares, 0.0, 1.0)
    vary = (p * (1 - p) > 0) & (precisions.variance > 0)
    others = np.where(vary & np.isfinite(cases), np.maximum(cases - 1.0, 1.0), np.inf)
    with np.errstate(all="ignore"):
        worth = np.where(vary, p * (1 - p) / precisions.variance * (1 + 1 / others), precisions.clusters)
    wider = quantile_of_t(probability, precisions.design_freedom) / quantile_of_t(probability, others)
    return score_ends(p, np.maximum(worth, 1.0), NormalDist().inv_cdf(probability) * wider)


def score_ends(p: np.ndarray, n: np.ndarray, quantile: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the score intervals of shares p of n independent cases, for a quantile of the score."""
    square = quantile**2 / n
    middle = (p + square / 2) / (1 + square)
    half = quantile * np.sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square)
    return np.where(p == 0, 0.0, middle - half), np.where(p == 1, 1.0, middle + half)


def wilson(hits: int, cases: int) -> Interval:
    """A share of independent cases with Wilson's 95% interval.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Args:
        hits: How many cases are counted.
        cases: How many there are; the share of none is NaN.

    Raises:
        ValueError: There are more hits than cases, or a number is negative.
    """
    if not 0 <= hits <= cases:
        raise ValueError(f"hits={hits} of cases={cases} is not allowed; allowed: 0 to as many as there are cases")
    if not cases:
        return Interval(math.nan, math.nan, math.nan, 0)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    low, high = score_ends(np.array([hits / cases]), np.array([cases]), np.array([z]))
    return Interval(hits / cases, float(low[0]), float(high[0]), cases)
