"""Mutual information in bits, bias-corrected, with a permutation test."""

from __future__ import annotations

import math

import numpy as np

from econzoo.evaluate.stats.association import group_sums

SHUFFLES = 999
"""Number of permutations of the clusters; with the observed one, 1,000, so that p-values are multiples of 0.001."""


def mutual_information(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Estimate the mutual information of two columns in bits, for each row of weights.

    Plug-in estimates are biased upwards; each entropy has the correction of Miller (1955, Note on the bias of
    information estimates). So the estimate can be slightly negative; it is capped at the maximum for these values.

    Args:
        x: Value indices, 0, 1, 2, ..., all of which occur, shape (rows,).
        weights: Shape (k, rows).

    Returns:
        Shape (k,).
    """
    pairs = np.unique(np.stack([x, y]), axis=1, return_inverse=True)[1].ravel()
    one, other, both = (_entropy(group_sums(weights, groups)) for groups in (x, y, pairs))
    return np.minimum(one + other - both, max_information(x, y))


def max_information(x: np.ndarray, y: np.ndarray) -> float:
    """Return the maximum mutual information of these values in bits."""
    return math.log2(min(x.max(), y.max()) + 1)


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Compute entropies of rows of counts in bits, with the Miller-Madow correction."""
    # Avoids 0 / 0 in a row without counts; its shares are then 0.
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    shares = counts / total
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=1) + ((counts > 0).sum(axis=1) - 1) / (2 * math.log(2) * total[:, 0])


def permutation_p_value(x: np.ndarray, y: np.ndarray, clusters: np.ndarray, seed: int = 0) -> float:
    """Return the p-value of a permutation test of independence.

    Whole clusters' sequences of x are permuted, which preserves the dependence within clusters.

    Args:
        clusters: Cluster of each row, shape (rows,).

    Returns:
        From 1 / (`SHUFFLES` + 1) to 1; NaN with fewer than two clusters.
    """
    rng, names = np.random.default_rng(seed), np.unique(clusters)
    if len(names) < 2:
        return math.nan
    order = np.argsort(clusters, kind="stable")
    sequences, y = np.split(x[order], np.unique(clusters[order], return_index=True)[1][1:]), y[order]
    once = np.ones((1, len(x)))
    # Permutations that only exchange equal sequences count as equal, whatever the rounding.
    found = mutual_information(x[order], y, once)[0] - 1e-12
    orders = (rng.permutation(len(names)) for _ in range(SHUFFLES))
    hits = sum(mutual_information(np.concatenate([sequences[i] for i in own]), y, once)[0] >= found for own in orders)
    # The observed order is one of the permutations, so that p is never 0.
    return (1 + int(hits)) / (1 + SHUFFLES)
