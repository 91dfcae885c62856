"""The mean over days of the daily median over matches, with its interval (minimum bids of ALYMPICS)."""

from __future__ import annotations

import math

import numpy as np

from econzoo.evaluate.stats.intervals import CONFIDENCE, MIN_CLUSTERS, Interval, quantile_of_t

RESAMPLES = 2000
"""Bootstrap samples of a standard error."""


def mean_of_daily_medians(values: np.ndarray) -> Interval:
    """Compute the mean over days of the daily median over matches.

    The interval is Student's t with a bootstrap standard error over matches, since medians are not smooth.

    Args:
        values: Shape (matches, days); NaN for a missing value.
    """
    games = int((~np.isnan(values).all(axis=1)).sum())
    # Fixed draws, so that the same records always give the same interval.
    drawn = np.random.default_rng(0).multinomial(len(values), np.full(len(values), 1 / len(values)), size=RESAMPLES)
    mean, resampled = (
        float(_mean_daily_medians(np.ones((1, len(values))), values)[0]),
        _mean_daily_medians(drawn, values),
    )
    error = float(np.nanstd(resampled, ddof=1)) if games >= MIN_CLUSTERS else math.nan
    half = float(quantile_of_t((1 + CONFIDENCE) / 2, np.array(games - 1.0))) * error if error else math.nan
    return Interval(mean, mean - half, mean + half, games)


def _mean_daily_medians(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute the mean of daily medians for every row of weights."""
    by_day = np.stack([_medians(weights, day) for day in values.T], axis=1)
    known = ~np.isnan(by_day)
    above, below = np.where(known, by_day, 0.0).sum(1), known.sum(1)
    return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)


def _medians(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute weighted medians of the known values for every row of weights.

    Args:
        weights: Integers, shape (k, matches).
        values: Shape (matches,).
    """
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    if not len(order):
        return np.full(len(weights), np.nan)
    upto = np.cumsum(weights[:, order], axis=1)
    count = upto[:, -1:]
    # The two middle values, equal for an odd count.
    lower, upper = (values[order][_first_column(upto, place)] for place in ((count - 1) // 2, count // 2))
    return np.where(count[:, 0] > 0, (lower + upper) / 2, np.nan)


def _first_column(upto: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the column of the value at a 0-based rank, values repeated by weight."""
    return np.minimum((upto <= place).sum(1), upto.shape[1] - 1)
