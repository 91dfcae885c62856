"""Cluster-robust standard errors of regressions: rows are clustered by setting and by pair of players.

Errors over settings are clustered in two ways. In each, residuals have the CR2 adjustment (Bell and McCaffrey 2002),
which removes the small-sample bias of the sandwich estimator, and degrees of freedom are those of its distribution
under homoskedastic errors, so that a level of two settings counts as two settings (Imbens and Kolesár 2016;
Pustejovsky and Tipton 2018). Satterthwaite's degrees of freedom match the variance, but are far too few for such a
level: part of the error comes from other settings, and is never as small as theirs may be. So with few, those of a
Student's t with the same quantile are used instead. The largest of the errors by settings, by pairs, and the two-way
error of Cameron, Gelbach and Miller (2011) is used, as MacKinnon, Nielsen and Webb (2024) advise, since a difference
of variance estimates may be far too small. Coverage is in docs/statistics.md.

Errors over seeds come from the variation between seeds within settings, given settings and pairs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from econzoo.evaluate.stats.intervals import CONFIDENCE, MIN_CLUSTERS, precision

LARGE_FREEDOM = 30.0
"""Degrees of freedom from which Satterthwaite's are used directly."""

ANGLES = (np.arange(256) + 0.5) / 256 * np.pi / 2
"""Midpoints of 256 equal parts of a right angle, over which `_tail_probability` averages."""


class Errors(NamedTuple):
    """Standard errors of coefficients.

    Attributes:
        error: Standard errors, shape (k, draws).
        freedom: Degrees of freedom, same shape.
    """

    error: np.ndarray
    freedom: np.ndarray


def errors_over_settings(
    matrix: np.ndarray, residuals: np.ndarray, settings: np.ndarray, pairs: np.ndarray | None = None
) -> Errors:
    """Compute errors for new settings and pairs from the same populations.

    Args:
        matrix: Regressors, shape (rows, k), of full rank.
        residuals: Residuals of one regression per column, shape (rows, draws).
        settings: Setting of every row, integers from 0; at least two settings.
        pairs: Pair of every row; None: pairs are fixed.
    """
    first = bias_reduced_errors(matrix, residuals, settings)
    if pairs is None:
        return first
    second = bias_reduced_errors(matrix, residuals, pairs)
    both = np.unique(settings * (pairs.max() + 1) + pairs, return_inverse=True)[1].ravel()
    squares = first.error**2, second.error**2
    two_way = squares[0] + squares[1] - (_influence(matrix, residuals, both) ** 2).sum(axis=0)
    freedom = np.where(first.error >= second.error, first.freedom, second.freedom)
    return Errors(np.sqrt(np.maximum(np.maximum(*squares), two_way)), freedom)


def errors_over_seeds(matrix: np.ndarray, residuals: np.ndarray, clusters: np.ndarray, strata: np.ndarray) -> Errors:
    """Compute errors for new seeds of the same settings; degrees of freedom are NaN with too few clusters.

    Args:
        clusters: Setting and seed of every row, integers from 0.
    """
    influence = _influence(matrix, residuals, clusters)
    # All coefficients and draws at once, as columns.
    found = precision(influence.reshape(len(strata), -1), strata)
    shape = influence.shape[1:]
    freedom = np.where(found.design_freedom >= MIN_CLUSTERS - 1, found.freedom, np.nan)
    return Errors(np.sqrt(found.variance).reshape(shape), freedom.reshape(shape))


def bias_reduced_errors(matrix: np.ndarray, residuals: np.ndarray, groups: np.ndarray) -> Errors:
    """Compute one-way clustered errors with the CR2 adjustment, and degrees of freedom under equal variances.

    Args:
        groups: Cluster of every row, integers from 0.
    """
    bread = np.linalg.inv(matrix.T @ matrix)
    # The bread is root root', so that the hat matrix H of a cluster is (X root)(X root)': its eigenvalues are the
    # squared singular values of X root (`_adjust_regressors`).
    root = np.linalg.cholesky(bread)
    influence, squares, crossed = [], [], []
    for rows in _rows_of(groups):
        weights = _adjust_regressors(matrix[rows], root) @ bread
        influence.append(weights.T @ residuals[rows])
        squares.append((weights**2).sum(axis=0))
        crossed.append((root.T @ (matrix[rows].T @ weights)).T)
    error = np.sqrt((np.stack(influence) ** 2).sum(axis=0))
    freedom = _freedom(np.stack(squares), np.stack(crossed))
    return Errors(error, np.broadcast_to(freedom[:, None], error.shape))


def _adjust_regressors(part: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return (I - H)^(-1/2) X of a cluster, shape (rows, k); H has rank k, which keeps this cheap."""
    directions, sizes, _ = np.linalg.svd(part @ root, full_matrices=False)
    left = 1 - sizes**2  # 0 if the cluster alone identifies a coefficient, whose error it cannot estimate
    factors = np.where(left > 1e-9, 1 / np.sqrt(np.maximum(left, 1e-9)), 0.0)
    return np.asarray(part + directions @ ((factors - 1)[:, None] * (directions.T @ part)))


def _freedom(squares: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Compute degrees of freedom under equal variances, shape (k,): Satterthwaite's, (tr B)^2 / tr B^2, if many.

    B, of (clusters, clusters), is the covariance of the clusters' contributions: its diagonal `squares`, shape
    (clusters, k), minus the products of `crossed`, shape (clusters, k, k), which come from the fit.
    """
    own = (crossed**2).sum(axis=2)
    products = crossed.transpose(1, 2, 0) @ crossed.transpose(1, 0, 2)
    trace = (squares - own).sum(axis=0)
    # tr B^2 without B, whose size is quadratic in the clusters: B is formed only where few degrees of freedom need it.
    with np.errstate(all="ignore"):
        found = np.asarray(trace**2 / ((squares**2 - 2 * squares * own).sum(axis=0) + (products**2).sum(axis=(1, 2))))
    for at in np.flatnonzero(found < LARGE_FREEDOM):
        found[at] = _student_freedom(
            tuple(np.linalg.eigvalsh(np.diag(squares[:, at]) - crossed[:, at] @ crossed[:, at].T))
        )
    return found


@lru_cache(maxsize=10_000)  # metrics of the same matches have the same regressors
def _student_freedom(sizes: tuple[float, ...]) -> float:
    """Return degrees of freedom of Student's t with the quantile of a t with a weighted chi-squared variance."""
    parts = np.maximum(sizes, 0.0) / np.maximum(sizes, 0.0).sum()
    quantile = optimize.brentq(lambda t: _tail_probability(t, parts) - (1 - CONFIDENCE), 1.0, 1e3)
    return float(optimize.brentq(lambda v: special.stdtr(v, -quantile) - (1 - CONFIDENCE) / 2, 0.5, 1e3))


def _tail_probability(t: float, parts: np.ndarray) -> float:
    """Return the two-sided tail probability of such a t: the mean over angles of Craig's normal tail (1991)."""
    return float(np.exp(-0.5 * np.log1p(np.outer(1 / np.sin(ANGLES) ** 2, t**2 * parts)).sum(axis=1)).mean())


def _influence(matrix: np.ndarray, residuals: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the clusters' contributions to coefficients, shape (clusters, k, draws), unadjusted."""
    weights = matrix @ np.linalg.inv(matrix.T @ matrix)
    return np.stack([weights[rows].T @ residuals[rows] for rows in _rows_of(groups)])


def _rows_of(groups: np.ndarray) -> list[np.ndarray]:
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
