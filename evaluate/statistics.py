"""Means and bootstrap confidence intervals of everything that a table of matches shows.

The unit that is resampled is the cluster: all matches of one market and seed. Matches of a cluster share their
random numbers, pair by pair and in both seat orders, so they are not independent and go into a resample
together; clusters are. One set of resamples serves all rows and columns of a table.

Every number is a ratio of two sums: a mean is the sum of values over the number of values, an error rate errors
over answers, the share of the equilibrium payoffs over equilibrium payoffs. The bootstrap resamples both sums.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.columns import Tabular, numbered, values_of
from econzoo.evaluate.outcomes import RATES

RESAMPLES = 2000
CONFIDENCE = 0.95
METHODS = ("percentile", "BCa")

MOST_AT_ONCE = 4_000_000
"""Draws of a cluster that are in memory at the same time."""

Statistic = Callable[..., np.ndarray]
"""From draws of clusters, shape (resamples, clusters), to ratios, shape (k, resamples)."""

RATIOS = {
    "share": ("payoff / unit", "equilibrium / unit"),
    "error_rate": ("errors", "answers"),
    "default_rate": ("defaults", "answers"),
}
"""Columns that are no plain mean: numerator and denominator.

``share``: payoff over equilibrium payoff, both as parts of what the equilibrium pays all seats together, so that
markets with more money do not count more. ``error_rate`` and ``default_rate``: of all answers.
"""


class Interval(NamedTuple):
    """An estimate.

    Attributes:
        mean: The ratio of the two sums; NaN where the denominator is 0.
        low: Lower end; NaN where fewer than two clusters add to the sums: one says nothing about chance.
        high: Upper end.
        rows: How many rows the estimate is made of.
    """

    mean: float
    low: float
    high: float
    rows: int


def estimate(
    table: Tabular,
    by: Sequence[str],
    columns: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    method: str = "percentile",
    unit: str = "cluster",
    seed: int = 0,
) -> dict[Any, dict[str, Interval]]:
    """Estimates columns for every group of rows.

    Args:
        table: Of `econzoo.evaluate.frame.frame` or `econzoo.evaluate.frame.columns`.
        by: Columns that make a group, e.g. ``["player"]`` or ``["player", "opponent"]``.
        columns: Columns of the table, or names of `RATIOS`.
        resamples: Bootstrap resamples.
        confidence: Of the intervals.
        method: One of `METHODS`. BCa takes memory and time with the square of the number of clusters.
        unit: The column whose values are resampled. ``"market"`` instead of ``"cluster"`` asks how far the result
            carries over to other markets; deterministic players differ in nothing else.
        seed: Of the resampling.

    Returns:
        Group to column to `Interval`; a group is a text if `by` has one column, else a tuple.

    Raises:
        ValueError: Unknown method.
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not allowed; allowed: {', '.join(METHODS)}")
    if not len(table):
        return {}
    above, below, counts, groups = _sums(table, list(by), columns, unit)
    means, lows, highs = intervals(above, below, resamples, confidence, method, seed)
    cells = zip(means.tolist(), lows.tolist(), highs.tolist(), counts, strict=True)
    made = [Interval(*cell) for cell in cells]
    wide = len(columns)
    return {group: dict(zip(columns, made[i * wide : (i + 1) * wide], strict=True)) for i, group in enumerate(groups)}


def _sums(
    table: Tabular, by: list[str], columns: Sequence[str], unit: str
) -> tuple[np.ndarray, np.ndarray, list[int], list[Any]]:
    """Sums of numerators and denominators, (clusters, groups * columns), the number of rows of each, the groups."""
    clusters, names = numbered(values_of(table[unit]))
    keys = [values_of(table[name]) for name in by]
    group, groups = numbered(zip(*keys, strict=True) if len(by) > 1 else keys[0])
    shape = (len(names), len(groups), len(columns))
    above, below, counts = np.zeros(shape), np.zeros(shape), np.zeros(shape[1:], int)
    for at, column in enumerate(columns):
        top, bottom = _parts(table, column)
        known = np.isfinite(top) & np.isfinite(bottom)
        np.add.at(above[:, :, at], (clusters[known], group[known]), top[known])
        np.add.at(below[:, :, at], (clusters[known], group[known]), bottom[known])
        np.add.at(counts[:, at], group[known], 1)
    flat = shape[0], shape[1] * shape[2]
    return above.reshape(flat), below.reshape(flat), counts.ravel().tolist(), groups


def _parts(table: Tabular, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of every row."""
    ratio = RATIOS.get(column) or RATES.get(column)
    if ratio is None:
        top = np.asarray(table[column], float) if column in table else np.full(len(table), np.nan)
        return top, np.ones(len(table))
    return tuple(_quotient(table, part) for part in ratio)  # type: ignore[return-value]


def _quotient(table: Tabular, part: str) -> np.ndarray:
    name, slash, unit = part.partition(" / ")
    values = np.asarray(table[name], float)
    return values / np.asarray(table[unit], float) if slash else values


def intervals(
    above: np.ndarray, below: np.ndarray, resamples: int, confidence: float, method: str, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratios of column sums with confidence intervals, by resampling rows.

    Args:
        above: Numerators, shape (clusters, k).
        below: Denominators, same shape.
        resamples: Bootstrap resamples.
        confidence: Of the intervals.
        method: One of `METHODS`; where BCa is not defined (no variation), percentile. BCa needs scipy.
        seed: Of the resampling.

    Returns:
        Ratios, lower and upper ends, each of shape (k,); the ends are NaN where all but one cluster add nothing.
    """
    clusters = len(above)
    ratios = _ratio(np.ones((1, clusters)), above, below)[:, 0]
    if clusters < 2:
        return ratios, np.full_like(ratios, np.nan), np.full_like(ratios, np.nan)

    def statistic(index: np.ndarray, axis: int = -1) -> np.ndarray:
        weights = how_often(np.atleast_2d(index), clusters)
        found = _ratio(weights, above, below)
        return found if index.ndim > 1 else found[:, 0]

    ends = _percentile_ends if method == "percentile" else _bca_ends
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # no variation, or a resample without a group: such ends are NaN
        low, high = ends(statistic, clusters, resamples, confidence, np.random.default_rng(seed))
    alone = np.count_nonzero((above != 0) | (below != 0), axis=0) < 2
    return ratios, np.where(alone, np.nan, low), np.where(alone, np.nan, high)


def _percentile_ends(
    statistic: Statistic, clusters: int, resamples: int, confidence: float, rng: np.random.Generator
) -> np.ndarray:
    """Lower and upper ends, shape (2, k): quantiles of the resampled ratios. It needs no library besides NumPy."""
    batch = max(1, MOST_AT_ONCE // clusters)
    sizes = [min(batch, resamples - done) for done in range(0, resamples, batch)]
    drawn = [statistic(rng.integers(clusters, size=(size, clusters))) for size in sizes]
    return _quantiles(np.concatenate(drawn, axis=-1), confidence)


def _bca_ends(
    statistic: Statistic, clusters: int, resamples: int, confidence: float, rng: np.random.Generator
) -> np.ndarray:
    """Lower and upper ends, shape (2, k), by `scipy.stats.bootstrap`; quantiles where it has none."""
    from scipy import stats

    found = stats.bootstrap(
        (np.arange(clusters),),
        statistic,
        n_resamples=resamples,
        batch=max(1, MOST_AT_ONCE // clusters),
        vectorized=True,
        confidence_level=confidence,
        method="BCa",
        rng=rng,
    )
    ends = np.array(found.confidence_interval)
    return np.where(np.isfinite(ends), ends, _quantiles(found.bootstrap_distribution, confidence))


def _quantiles(resampled: np.ndarray, confidence: float) -> np.ndarray:
    tail = (1 - confidence) / 2
    return np.nanquantile(resampled, [tail, 1 - tail], axis=-1)


def wilson(hits: int, cases: int) -> Interval:
    """A share with Wilson's 95% interval, which has a width also at 0 and 1; as if the cases were independent.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Args:
        hits: How many cases are counted.
        cases: How many there are; the share of none is NaN.

    Raises:
        ValueError: There are more hits than cases, or a number is negative.
    """
    from scipy.stats import binomtest

    if not 0 <= hits <= cases:
        raise ValueError(f"hits={hits} of cases={cases} is not allowed; allowed: 0 to as many as there are cases")
    if not cases:
        return Interval(math.nan, math.nan, math.nan, 0)
    found = binomtest(hits, cases).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(hits / cases, float(found.low), float(found.high), cases)


def how_often(index: np.ndarray, clusters: int) -> np.ndarray:
    """How often each cluster is in each resample, shape (resamples, clusters)."""
    shifted = index + clusters * np.arange(len(index))[:, None]
    return np.bincount(shifted.ravel(), minlength=len(index) * clusters).reshape(len(index), clusters).astype(float)


def _ratio(weights: np.ndarray, above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios of weighted sums, shape (k, resamples); NaN where nothing was divided by."""
    top, bottom = weights @ above, weights @ below
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom != 0).T
