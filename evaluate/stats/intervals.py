"""Closed-form confidence intervals from the influence of independent clusters on an estimate.

An estimate is approximately a sum of contributions of independent clusters, their *influence*: by the delta method for
a ratio of two sums, by the jackknife for any smooth statistic. The influences give the variance of the estimate, its
degrees of freedom and its skewness, and these a skewness-corrected Student's t interval (Hall 1992, On the removal of
skewness by transformation). Coverage is in docs/statistics.md.

A proportion has the score interval (Wilson 1927) with the effective number of independent cases (Korn and Graubard
1998), so that it has a width at 0 and 1 too. If every cluster is one case, this is Wilson's interval: there is no
variance to estimate besides the proportion.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95

MIN_CLUSTERS = 6
"""Minimum clusters for an interval: with fewer the error of an estimate is unknown."""


TOO_FEW, ALL_ALIKE = f"under {MIN_CLUSTERS} draws", "all alike"
"""Reasons for a missing interval, in tables."""

MAX_STEEPNESS = 4.0
"""Maximum slope of the skewness correction relative to t: the correcting cubic is vertical at one point, near which
the end is unstable; beyond this slope it continues linearly."""


CELLS = 1_000_000
"""Maximum size of a matrix in memory, about ten of which exist at once."""


class Interval(NamedTuple):
    """An estimate with its interval.

    Attributes:
        mean: The estimate, mostly a mean; NaN where it is not defined.
        low: Lower end; NaN without an interval: fewer than `MIN_CLUSTERS` clusters, or identical ones.
        high: Upper end; NaN without an interval.
    """

    mean: float
    low: float
    high: float
    rows: int

    @property
    def no_interval_reason(self) -> str:
        """Reason for a missing interval, in tables; empty if there is one, or the reason is unknown."""
        return ""


class TooFewClusters(Interval):
    """An estimate from fewer than `MIN_CLUSTERS` clusters, without an interval."""

    __slots__ = ()

    @property
    def no_interval_reason(self) -> str:
        return TOO_FEW


class IdenticalClusters(Interval):
    """An estimate from identical clusters, without an interval."""

    __slots__ = ()

    @property
    def no_interval_reason(self) -> str:
        return ALL_ALIKE


class Precision(NamedTuple):
    """Precision of estimates; arrays of shape (k,).

    Attributes:
        variance: Variances of the estimates.
        freedom: Degrees of freedom of the variances (Satterthwaite 1946).
        tailed_freedom: The same for distributions with tails as heavy as the influences' (O'Neill 2014): fewer, but not
            below those of `MIN_CLUSTERS` clusters.
        design_freedom: Degrees of freedom by design: clusters minus strata.
        skewness: Skewness of the estimates' distributions.
        clusters: Number of contributing clusters.
    """

    variance: np.ndarray
    freedom: np.ndarray
    tailed_freedom: np.ndarray
    design_freedom: np.ndarray
    skewness: np.ndarray
    clusters: np.ndarray

    def symmetric(self) -> Precision:
        """Return the precision of estimates with symmetric distributions, whatever the skewness of the influences."""
        return self._replace(skewness=np.zeros_like(self.skewness), tailed_freedom=self.freedom)


def ratios(above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute ratios of column sums, and each cluster's influence.

    Args:
        above: Numerators, shape (clusters, k).
        below: Denominators, same shape.

    Returns:
        The ratios, shape (k,), NaN where the denominator is 0; the influences, shape (clusters, k), NaN where a cluster
        does not contribute.
    """
    top, bottom = above.sum(axis=0), below.sum(axis=0)
    found = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    with np.errstate(all="ignore"):
        influence = (above - found * below) / bottom
    return found, np.where((above != 0) | (below != 0), influence, np.nan)


def precision(influence: np.ndarray, strata: np.ndarray | None = None) -> Precision:
    """Compute the precision of estimates from their influences.

    Args:
        influence: Influence of each cluster on each estimate, shape (clusters, k); NaN: it does not contribute.
        strata: Integers from 0, shape (clusters,). Clusters are sampled within strata, as seeds within a fixed setting;
            strata of one cluster are pooled. None: one stratum.
    """
    known = np.isfinite(influence)
    n, centred = _central_sums(influence, known, np.zeros(len(influence), int) if strata is None else strata)
    squares, cubes, fourths = centred(2), centred(3), centred(4)
    with np.errstate(all="ignore"):
        # Of a sum of n influences: n times their unbiased variance, and n times their unbiased third central moment.
        variances = np.where(n > 1, squares * n / (n - 1), 0.0)
        thirds = np.where(n > 2, cubes * n**2 / ((n - 1) * (n - 2)), 0.0)
        variance, clusters = variances.sum(axis=0), n.sum(axis=0)
        # The variance of a variance is 2 V^2 (1 / (n - 1) + k / (2 n)), where k is the excess kurtosis.
        parts = np.where(n > 1, variances**2 / np.stack([n - 1, 2 * n]), 0.0).sum(axis=1)
        # The kurtosis is pooled over strata, as one of few clusters is too rough. Light tails count as normal ones.
        tails = np.fmax(fourths.sum(axis=0) / np.where(n > 0, squares**2 / n, 0.0).sum(axis=0) - 3, 0.0)
        freedom, tailed = (variance**2 / part for part in (parts[0], parts[0] + tails * parts[1]))
        skewness = np.nan_to_num(thirds.sum(axis=0) / variance**1.5, posinf=0.0, neginf=0.0)
        lonely = (n == 1).sum(axis=0)  # a single cluster's variance is unknown; assume that of the others
        variance = variance * clusters / np.where(lonely, clusters - 1, clusters)
    design = np.maximum(n - 1, 0).sum(axis=0)
    freedom = np.where(np.isfinite(freedom), freedom, design)
    tailed = np.fmax(tailed, np.minimum(freedom, MIN_CLUSTERS - 1.0))
    return Precision(variance, freedom, tailed, design, skewness, clusters.astype(int))


def _central_sums(
    influence: np.ndarray, known: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    """Return clusters per stratum, shape (strata + 1, k), and a function for sums of powers of deviations from means.

    The last row pools clusters that are alone in their stratum.
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
    """Return a function that sums rows by stratum, in blocks with at most `CELLS` cells."""
    # A product with indicators sums many columns at once; of many strata, a block has only the rows of its own.
    count, blocks = int(strata.max(initial=0)) + 1, []
    some = max(1, CELLS // max(1, len(strata)))
    for first in range(0, count, some):
        rows = np.flatnonzero((first <= strata) & (strata < first + some)) if count > some else np.arange(len(strata))
        blocks.append((rows, np.eye(min(some, count - first))[strata[rows] - first].T))
    return lambda values: np.concatenate([ones @ values[rows] for rows, ones in blocks])


def quantile_of_t(probability: float, freedom: np.ndarray) -> np.ndarray:
    """Compute quantiles of Student's t by the expansion of Fisher and Cornish (1960), to 0.2% from 5 degrees on."""
    # Not by scipy, which is an optional dependency: tables of tournaments have intervals without it.
    z, v = NormalDist().inv_cdf(probability), np.maximum(np.asarray(freedom, float), 2.0)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / v + second / v**2 + third / v**3 + fourth / v**4


def interval_ends(
    means: np.ndarray, precisions: Precision, cases: np.ndarray | float = 0.0, confidence: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Compute lower and upper ends of intervals.

    Args:
        means: The estimates, shape (k,).
        cases: Number of cases of each proportion; infinite if its variance is not binomial; 0 if it is not a
            proportion.
        confidence: Confidence level, 0 to 1.

    Returns:
        Two arrays of shape (k,); NaN without an interval.
    """
    shares, part = np.asarray(cases) > 0, (1 + confidence) / 2
    quantile = quantile_of_t(part, precisions.tailed_freedom)
    error = np.sqrt(precisions.variance)
    # Rounding gives identical clusters an error of this size.
    varies = error > 1e-12 * np.maximum(1e-300, np.abs(means))
    # A pivot: the upper quantile of t gives the lower end.
    low = means - skewness_corrected_t(quantile, precisions.skewness) * error
    high = means - skewness_corrected_t(-quantile, precisions.skewness) * error
    scores = share_ends(means, precisions, cases, part)
    low, high = np.where(shares, scores[0], low), np.where(shares, scores[1], high)
    # A proportion has a width even if clusters do not vary, as its cases do. With half cases (ties) this holds only at
    # 0 and 1: a share in between does not determine the variance of its cases.
    is_known = varies | shares & (np.isfinite(cases) | (means == 0) | (means == 1))
    is_known &= (precisions.design_freedom >= MIN_CLUSTERS - 1) & np.isfinite(means)
    return np.where(is_known, low, np.nan), np.where(is_known, high, np.nan)


def has_too_few_clusters(precisions: Precision) -> list[bool]:
    """Return why estimates have no interval: True for too few clusters, False for identical ones."""
    few: list[bool] = (precisions.design_freedom < MIN_CLUSTERS - 1).tolist()
    return few


def payoff_ends(
    mean: np.ndarray,
    error: np.ndarray,
    skewness: np.ndarray,
    clusters: np.ndarray,
    confidence: float = CONFIDENCE,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute ends of intervals of payoffs, with the shape of the means; normal quantiles without clusters."""
    freedom = np.where(clusters > 0, clusters - 1.0, 1e9)  # so many that t is normal
    parts = (error**2, freedom, freedom, freedom, np.broadcast_to(skewness, mean.shape), clusters)
    low, high = interval_ends(mean.ravel(), Precision(*(np.ravel(part) for part in parts)), confidence=confidence)
    return low.reshape(mean.shape), high.reshape(mean.shape)


def difference_ends(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute ends of intervals of differences of independent estimates from both intervals (Zou and Donner 2008).

    Args:
        one: Estimates, lower and upper ends, shape (3, k).
        other: Estimates to subtract, same shape.

    Returns:
        Two arrays of shape (k,).
    """
    (first, *ends_of_first), (second, *ends_of_second) = one, other
    below = np.hypot(first - ends_of_first[0], ends_of_second[1] - second)
    above = np.hypot(ends_of_first[1] - first, second - ends_of_second[0])
    return first - second - below, first - second + above


def holm(gaps: np.ndarray, precisions: Precision) -> np.ndarray:
    """Return which differences are not 0 after Holm's correction, shape (k,) (Holm 1979).

    The most significant one is tested at level 0.05 / k, the next one at 0.05 / (k - 1), and so on, up to the first
    that is not significant.
    """
    with np.errstate(all="ignore"):
        certain = np.nan_to_num(np.abs(gaps) / np.sqrt(precisions.variance), posinf=0.0)
    distinct = np.zeros(len(gaps), bool)
    # By intervals, which are skewness-corrected: a mark and the interval of a single difference agree.
    for done, at in enumerate(np.argsort(-certain, kind="stable")):
        low, high = interval_ends(gaps, precisions, confidence=1 - (1 - CONFIDENCE) / (len(gaps) - done))
        if not (low[at] > 0 or high[at] < 0):
            break
        distinct[at] = True
    return distinct


def skewness_corrected_t(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Return the t of a skewed estimate that corresponds to `t` of a symmetric one.

    A monotone cubic (Hall 1992) with slope at most `MAX_STEEPNESS`.
    """
    a, b = skewness / 3, skewness / 6
    # Near 0 the cubic is the identity, and its formula 0 / 0.
    small = np.abs(a) < 1e-8
    divisor = np.where(small, 1.0, a)
    cube = 1 + 3 * a * (t - b)
    # The slope is cube^(-2/3), hence `MAX_STEEPNESS` where the cube has this value.
    upper = np.maximum(cube, MAX_STEEPNESS**-1.5)
    return np.where(small, t, (np.cbrt(upper) - 1) / divisor + MAX_STEEPNESS * (cube - upper) / (3 * divisor))


def share_ends(
    shares: np.ndarray, precisions: Precision, cases: np.ndarray | float, probability: float
) -> tuple[np.ndarray, np.ndarray]:
    """Compute ends of score intervals of proportions of clustered cases (Korn and Graubard 1998).

    The effective number of cases follows from the variance between clusters; the quantile is widened by the ratio of
    Student's t with the clusters' degrees of freedom to that with the cases'. For proportions of 0 and 1 the variance
    is unknown: a cluster counts as one case.

    Args:
        shares: Proportions, from 0 to 1.
    """
    p = np.clip(shares, 0.0, 1.0)
    vary = (p * (1 - p) > 0) & (precisions.variance > 0)
    others = np.where(vary & np.isfinite(cases), np.maximum(cases - 1.0, 1.0), np.inf)
    with np.errstate(all="ignore"):
        # With one case per cluster the variance is p (1 - p) / (n - 1); the last factor then gives n, as in Wilson.
        worth = np.where(vary, p * (1 - p) / precisions.variance * (1 + 1 / others), precisions.clusters)
    wider = quantile_of_t(probability, precisions.design_freedom) / quantile_of_t(probability, others)
    return score_ends(p, np.maximum(worth, 1.0), NormalDist().inv_cdf(probability) * wider)


def score_ends(p: np.ndarray, n: np.ndarray, quantile: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute ends of score intervals of proportions p of n independent cases, for a quantile of the score."""
    square = quantile**2 / n
    middle = (p + square / 2) / (1 + square)
    half = quantile * np.sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square)
    # Exact ends, without rounding errors beyond 0 and 1.
    return np.where(p == 0, 0.0, middle - half), np.where(p == 1, 1.0, middle + half)


def wilson(hits: int, cases: int) -> Interval:
    """Return a proportion of independent cases with Wilson's 95% interval.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Args:
        cases: Number of cases; 0 gives NaN.
    """
    if not 0 <= hits <= cases:
        raise ValueError(f"invalid hits={hits} with cases={cases}: expected 0 to {cases}")
    if not cases:
        return Interval(math.nan, math.nan, math.nan, 0)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    low, high = score_ends(np.array([hits / cases]), np.array([cases]), np.array([z]))
    return Interval(hits / cases, float(low[0]), float(high[0]), cases)
