"""Estimates over the games of one setting, with 95% intervals; games are what is resampled."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from econzoo.evaluate.bootstrap import Statistic, bootstrap
from econzoo.evaluate.statistics import Interval, wilson


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
    """Means of columns over games, with percentile bootstrap intervals.

    Args:
        values: Shape (games, k); NaN where something is not defined.
    """
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)

    def statistic(weights: np.ndarray) -> np.ndarray:
        return _ratio(weights @ filled, weights @ known)

    return _intervals(statistic, known)


def mean(values: Sequence[float]) -> Interval:
    """`means` of one column."""
    return means(np.array(values, float)[:, None])[0]


def ratio(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Sum over sum, one of each a game; infinity where only the sum below is 0."""
    top, bottom = np.array(above, float)[:, None], np.array(below, float)[:, None]

    def statistic(weights: np.ndarray) -> np.ndarray:
        return _ratio(weights @ top, weights @ bottom, empty=math.inf)

    return _intervals(statistic, ~np.isnan(top))[0]


def mean_of_daily_medians(values: np.ndarray) -> Interval:
    """Median over games of each day, then the mean over the days that have one.

    Args:
        values: Shape (games, days); NaN where a game has no value on a day.
    """

    def statistic(weights: np.ndarray) -> np.ndarray:
        by_day = np.stack([_medians(weights, day) for day in values.T], axis=1)
        known = ~np.isnan(by_day)
        return _ratio(np.where(known, by_day, 0.0).sum(1), known.sum(1))[:, None]

    return _intervals(statistic, ~np.isnan(values).all(1, keepdims=True))[0]


def _medians(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Median of the values that are known, each counted as often as its weight says, for every row of weights.

    Args:
        weights: Whole numbers, shape (resamples, games).
        values: Shape (games,).
    """
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    if not len(order):
        return np.full(len(weights), np.nan)
    upto = np.cumsum(weights[:, order], axis=1)
    count = upto[:, -1:]
    lower, upper = (values[order][_first(upto, place)] for place in ((count - 1) // 2, count // 2))
    return np.where(count[:, 0] > 0, (lower + upper) / 2, np.nan)


def _first(upto: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Column of the value at a place, 0-based, when every value stands as often as its weight says."""
    return np.minimum((upto <= place).sum(1), upto.shape[1] - 1)


def _ratio(above: np.ndarray, below: np.ndarray, empty: float = math.nan) -> np.ndarray:
    out = np.where(np.asarray(above) > 0, empty, np.nan)
    return np.divide(above, below, out=out, where=np.asarray(below) != 0)


def _intervals(statistic: Statistic, known: np.ndarray) -> list[Interval]:
    values, lows, highs = bootstrap(statistic, range(len(known)))
    counts = known.sum(0)
    alone = counts < 2
    lows, highs = np.where(alone, np.nan, lows), np.where(alone, np.nan, highs)
    cells = zip(values.tolist(), lows.tolist(), highs.tolist(), counts.tolist(), strict=True)
    return [Interval(*cell) for cell in cells]
