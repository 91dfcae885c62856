"""How much one thing tells of another, in bits: mutual information with its bias removed, and whether it is any."""

from __future__ import annotations

import math

import numpy as np

from econzoo.evaluate.stats.association import group_sums

SHUFFLES = 999
"""Orders of the clusters that are compared with the one there was."""


def mutual_information(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mutual information of two columns in bits, for each row of weights.

    Counts alone give too much: each value that occurs adds to the estimate of an entropy what Miller (1955, Note on
    the bias of information estimates) adds to it. So it can be a little below 0 where there is none; it is never more
    than so many values can tell.

    Args:
        x: Numbers of values, 0, 1, 2, ..., none left out, shape (rows,).
        y: Likewise.
        weights: Shape (k, rows).

    Returns:
        Shape (k,).
    """
    pairs = np.unique(np.stack([x, y]), axis=1, return_inverse=True)[1].ravel()
    one, other, both = (_entropy(group_sums(weights, groups)) for groups in (x, y, pairs))
    return np.minimum(one + other - both, max_information(x, y))


def max_information(x: np.ndarray, y: np.ndarray) -> float:
    """Bits that so many values can tell of each other at most."""
    return math.log2(min(x.max(), y.max()) + 1)


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Bits of rows of counts, by Miller and Madow."""
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    shares = counts / total
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=1) + ((counts > 0).sum(axis=1) - 1) / (2 * math.log(2) * total[:, 0])


def permutation_p_value(x: np.ndarray, y: np.ndarray, clusters: np.ndarray, seed: int = 0) -> float:
    """How often as much information comes about by chance: the p-value of a permutation test.

    The sequences of x of whole clusters change places, so that what is alike within a cluster stays alike.

    Args:
        x: See `mutual_information`.
        y: See there.
        clusters: Of each row, shape (rows,).
        seed: Of the orders.

    Returns:
        From 1 / (`SHUFFLES` + 1) to 1; NaN with fewer than two clusters.
    """
    rng, names = np.random.default_rng(seed), np.unique(clusters)
    if len(names) < 2:
        return math.nan
    order = np.argsort(clusters, kind="stable")
    sequences, y = np.split(x[order], np.unique(clusters[order], return_index=True)[1][1:]), y[order]
    once = np.ones((1, len(x)))
    found = mutual_information(x[order], y, once)[0] - 1e-12
    orders = (rng.permutation(len(names)) for _ in range(SHUFFLES))
    hits = sum(mutual_information(np.concatenate([sequences[i] for i in own]), y, once)[0] >= found for own in orders)
    return (1 + int(hits)) / (1 + SHUFFLES)
