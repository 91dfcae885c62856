"""Calibration and discrimination of probabilities.

All functions take weights of shape (k, cases), so that a jackknife can leave out clusters.
"""

from __future__ import annotations

import numpy as np

BINS = 10
"""Number of bins of equal width, from probability 0 to 1."""


def bin_of(probabilities: np.ndarray) -> np.ndarray:
    """Return the bin index of each probability; 1 is in the last bin."""
    return np.minimum((probabilities * BINS).astype(int), BINS - 1)


def bin_name(place: int) -> str:
    """Return a label such as ``"0.3-0.4"``."""
    return f"{place / BINS:.1f}-{(place + 1) / BINS:.1f}"


def reliability(
    probabilities: np.ndarray, outcomes: np.ndarray, in_bin: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the expected calibration error (Naeini et al. 2015), observed frequencies and mean probabilities per bin.

    Args:
        probabilities: Probabilities, shape (cases,).
        outcomes: 0 or 1, same shape.
        in_bin: One-hot, shape (cases, bins).
        weights: Shape (k, cases).

    Returns:
        Shapes (k,), (k, bins) and (k, bins); NaN in empty bins, and for the error if all are empty.
    """
    counts = weights @ in_bin
    share, mean = (
        np.divide((weights * part) @ in_bin, counts, out=np.full_like(counts, np.nan), where=counts > 0)
        for part in (outcomes, probabilities)
    )
    # An empty bin has weight 0, but 0 times NaN is NaN.
    distance = np.nan_to_num(np.abs(share - mean))
    above, below = (distance * counts).sum(axis=1), counts.sum(axis=1)
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0), share, mean


def area_under_roc(probabilities: np.ndarray, outcomes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute the area under the ROC curve: how often a positive case has the higher probability; ties count one half.

    Args:
        probabilities: Probabilities, shape (cases,).
        outcomes: 0 or 1, same shape.
        weights: Shape (k, cases).

    Returns:
        Shape (k,), each in [0, 1]; NaN if all outcomes are equal.
    """
    order = np.argsort(probabilities, kind="stable")
    # One group per distinct probability, so that ties count one half.
    starts = np.flatnonzero(np.r_[True, np.diff(probabilities[order]) > 0])
    yes, no = (np.add.reduceat(weights[:, order] * part[order], starts, axis=1) for part in (outcomes, 1 - outcomes))
    below = np.cumsum(no, axis=1) - no / 2
    pairs = yes.sum(axis=1) * no.sum(axis=1)
    return np.divide((yes * below).sum(axis=1), pairs, out=np.full_like(pairs, np.nan), where=pairs > 0)
