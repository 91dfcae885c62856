"""Correlations and slopes for many rows of weights at once, for the jackknife."""

from __future__ import annotations

import numpy as np


def pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute weighted correlations along the last axis.

    Args:
        x: Shape (rows,) or (k, rows).
        y: Same shape.
        weights: Shape (k, rows).

    Returns:
        Shape (k,); NaN where x or y is constant.
    """
    sizes = [np.abs(x).max(), np.abs(y).max()]
    # A row of weights may be all 0 (a bin without cases): its variances are then 0, and the correlation NaN.
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    dx, dy = (v - (weights * v).sum(axis=1, keepdims=True) / total for v in (x, y))
    total = total[:, 0]
    covariance, *variances = ((weights * a * b).sum(axis=1) / total for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    # Rounding leaves a small variance in constant columns.
    varies = [v > (1e-12 * size) ** 2 for v, size in zip(variances, sizes, strict=True)]
    scale = np.sqrt(variances[0] * variances[1])
    out = np.divide(covariance, scale, out=np.full_like(scale, np.nan), where=varies[0] & varies[1] & (scale > 0))
    # Rounding can leave [-1, 1], outside which Fisher's transformation is not defined.
    return np.clip(out, -1.0, 1.0)


def ranks(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute mid-ranks for each row of weights; shape (k, rows).

    Rows are counted by weight.
    """
    place = np.unique(x, return_inverse=True)[1]
    counts = group_sums(weights, place)
    return (np.cumsum(counts, axis=1) - (counts - 1.0) / 2)[:, place]


def center_by_setting(x: np.ndarray, settings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Subtract the weighted mean of each setting, for each row of weights; shape (k, rows)."""
    counts = group_sums(weights, settings)
    means = np.divide(group_sums(weights * x, settings), counts, out=np.zeros_like(counts), where=counts > 0)
    return x - means[:, settings]


def weighted_slope(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute slopes of weighted least-squares lines.

    Args:
        x: Shape (points,).
        y: Shape (points,).
        weights: Shape (lines, points).

    Returns:
        Shape (lines, 1); NaN where x is constant among the weighted points.
    """
    total = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_y = weights @ x / total, weights @ y / total
        from_x = x - mean_x[:, None]
        spread = (weights * from_x**2).sum(axis=1)
        product = (weights * from_x * (y - mean_y[:, None])).sum(axis=1)
        # The points are numbers of rounds, so that only rounding leaves a spread this small.
        return np.where(spread > 1e-12, product / spread, np.nan)[:, None]


def group_sums(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Sum columns by group.

    Args:
        values: Shape (k, rows).
        groups: Group of every row, 0, 1, 2, ..., none empty. Shape (rows,).

    Returns:
        Shape (k, groups).
    """
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
    # Of an empty group `reduceat` would return the first column of the next one.
    return np.add.reduceat(values[:, order], starts, axis=1)
