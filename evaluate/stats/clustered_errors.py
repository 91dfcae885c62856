"""Standard errors of regressions whose rows hang together: matches of a setting, matches of a pair of players.

Errors over settings are by clusters in two ways. In each, residuals are adjusted for having been fitted (CR2, Bell and
McCaffrey 2002), which takes away the bias of the usual sandwich where there are few clusters, and degrees of freedom
are those of its distribution if all rows had the same variance, so that a level of two settings counts as the two
settings that it is (Imbens and Kolesár 2016; Pustejovsky and Tipton 2018). Satterthwaite's, which have the same
variance, are far too few for such a level: a part of the error is of the other settings, and never as small as theirs
may be. So where there are few, Student's t with the same quantile is sought in their place. Of the error by settings,
that by pairs and the two-way one of Cameron, Gelbach and Miller (2011) the largest is taken, as MacKinnon, Nielsen and
Webb (2024) advise: a difference of estimates of variances may come out far too small. How often these intervals cover
is in docs/statistics.md.

Errors over seeds are by what seeds change within their setting; settings and pairs stay as they are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from econzoo.evaluate.stats.intervals import CONFIDENCE, MIN_CLUSTERS, precision

LARGE_FREEDOM = 30.0
"""Degrees of freedom from which on Satterthwaite's are taken as they are."""

ANGLES = (np.arange(256) + 0.5) / 256 * np.pi / 2


class Errors(NamedTuple):
    """How precise coefficients are.

    Attributes:
        error: Standard errors, shape (k, draws).
        freedom: Degrees of freedom, same shape.
    """

    error: np.ndarray
    freedom: np.ndarray


def errors_over_settings(
    matrix: np.ndarray, residuals: np.ndarray, settings: np.ndarray, pairs: np.ndarray | None = None
) -> Errors:
    """Errors for settings that are drawn from settings like them, and pairs from pairs like them.

    Args:
        matrix: Regressors, shape (rows, k), of full rank.
        residuals: Of one regression in each column, shape (rows, draws).
        settings: Of every row, whole numbers from 0; at least two.
        pairs: Likewise; None: they stay as they are.
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
    """Errors for other seeds of the same settings; degrees of freedom are NaN where there are too few clusters.

    Args:
        matrix: See `errors_over_settings`.
        residuals: See `errors_over_settings`.
        clusters: Setting and seed of every row, whole numbers from 0.
        strata: The setting of every cluster.
    """
    influence = _influence(matrix, residuals, clusters)
    found = precision(influence.reshape(len(strata), -1), strata)
    shape = influence.shape[1:]
    freedom = np.where(found.design_freedom >= MIN_CLUSTERS - 1, found.freedom, np.nan)
    return Errors(np.sqrt(found.variance).reshape(shape), freedom.reshape(shape))


def bias_reduced_errors(matrix: np.ndarray, residuals: np.ndarray, groups: np.ndarray) -> Errors:
    """Errors by clusters in one way, with the adjustment CR2 and degrees of freedom under equal variances.

    Args:
        matrix: See `errors_over_settings`.
        residuals: See `errors_over_settings`.
        groups: The cluster of every row, whole numbers from 0.
    """
    bread = np.linalg.inv(matrix.T @ matrix)
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
    """(I - H)^(-1/2) X of a cluster, shape (rows, k): H has the directions of X only, so k of them are turned."""
    directions, sizes, _ = np.linalg.svd(part @ root, full_matrices=False)
    left = 1 - sizes**2  # 0 where the cluster alone tells a coefficient: it says nothing of its error
    factors = np.where(left > 1e-9, 1 / np.sqrt(np.maximum(left, 1e-9)), 0.0)
    return np.asarray(part + directions @ ((factors - 1)[:, None] * (directions.T @ part)))


def _freedom(squares: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Degrees of freedom if all rows had the same variance, shape (k,): Satterthwaite's, (tr B)^2 / tr B^2, if many.

    B, of (clusters, clusters), is the covariance of what clusters add: its diagonal `squares`, shape (clusters, k),
    minus the products of `crossed`, shape (clusters, k, k), which come from the fit.
    """
    own = (crossed**2).sum(axis=2)
    products = crossed.transpose(1, 2, 0) @ crossed.transpose(1, 0, 2)
    trace = (squares - own).sum(axis=0)
    with np.errstate(all="ignore"):
        found = np.asarray(trace**2 / ((squares**2 - 2 * squares * own).sum(axis=0) + (products**2).sum(axis=(1, 2))))
    for at in np.flatnonzero(found < LARGE_FREEDOM):
        found[at] = _student_freedom(
            tuple(np.linalg.eigvalsh(np.diag(squares[:, at]) - crossed[:, at] @ crossed[:, at].T))
        )
    return found


@lru_cache(maxsize=10_000)  # metrics of the same matches have the same regressors
def _student_freedom(sizes: tuple[float, ...]) -> float:
    """Degrees of freedom with which Student's t has the quantile of a t whose variance is a sum of parts.

    Args:
        sizes: Of the parts, each times the square of a standard normal.
    """
    parts = np.maximum(sizes, 0.0) / np.maximum(sizes, 0.0).sum()
    quantile = optimize.brentq(lambda t: _tail_probability(t, parts) - (1 - CONFIDENCE), 1.0, 1e3)
    return float(optimize.brentq(lambda v: special.stdtr(v, -quantile) - (1 - CONFIDENCE) / 2, 0.5, 1e3))


def _tail_probability(t: float, parts: np.ndarray) -> float:
    """How often such a t is beyond `t`, on both sides: the mean over angles of Craig's normal tail (1991)."""
    return float(np.exp(-0.5 * np.log1p(np.outer(1 / np.sin(ANGLES) ** 2, t**2 * parts)).sum(axis=1)).mean())


def _influence(matrix: np.ndarray, residuals: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """What clusters add to coefficients, shape (clusters, k, draws), without an adjustment."""
    weights = matrix @ np.linalg.inv(matrix.T @ matrix)
    return np.stack([weights[rows].T @ residuals[rows] for rows in _rows_of(groups)])


def _rows_of(groups: np.ndarray) -> list[np.ndarray]:
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
