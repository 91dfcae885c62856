"""Inter-judge agreement: Krippendorff's alpha, by the library of that name.

Alpha is 1 minus the observed disagreement over the disagreement expected by chance (Krippendorff 2019, Content
Analysis, chapter 12): 1 is agreement, 0 is chance, below 0 is less than chance. It allows for missing ratings: an item
counts if two judges or more have rated it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from econzoo.envs.core import MissingLibraryError, require_libraries

Level = Literal["nominal", "ordinal", "interval"]

LEVELS: tuple[Level, ...] = ("ordinal", "interval")
"""Distances of two scores: by ranks, or squared differences."""


class Agreement(NamedTuple):
    """Agreement of judges on one dimension.

    Attributes:
        items: Items rated by two judges or more; `judges` and `ratings` count those of these items.
        ordinal: Alpha with the ordinal metric; NaN if undefined.
        interval: Alpha with the interval metric; NaN if undefined.
        undefined: Reason for an undefined alpha, else empty.
    """

    items: int
    judges: int
    ratings: int
    ordinal: float
    interval: float
    undefined: str


def agreement(scores: Sequence[Sequence[float]] | np.ndarray) -> Agreement:
    """Compute Krippendorff's alpha.

    Args:
        scores: Shape (judges, items); NaN where missing.
    """
    given = np.asarray(scores, dtype=float)
    paired, alphas, why = alpha(given.reshape(len(given), -1), LEVELS, "player", "scores")
    rated = np.isfinite(paired)
    return Agreement(paired.shape[1], int(rated.any(axis=1).sum()), int(rated.sum()), alphas[0], alphas[1], why)


def alpha(given: np.ndarray, levels: Sequence[Level], item: str, ratings: str) -> tuple[np.ndarray, list[float], str]:
    """Compute Krippendorff's alpha, level by level.

    Args:
        given: Shape (judges, items); NaN where missing.

    Returns:
        Ratings of items with at least two judges, shape (judges, items); alphas, NaN if undefined; and the reason for
        that, else empty.
    """
    paired = given[:, np.isfinite(given).sum(axis=0) >= 2]
    why = "" if paired.size else f"no {item} has {ratings} by two judges"
    if not why and len(np.unique(paired[np.isfinite(paired)])) < 2:
        why = f"all {ratings} are equal, so the expected disagreement is 0"
    if not why:  # the library is needed only where there is something to compute
        try:
            require_libraries("alpha", "krippendorff")
            import krippendorff

            found = [krippendorff.alpha(reliability_data=paired, level_of_measurement=level) for level in levels]
            return paired, [float(one) for one in found], ""
        except MissingLibraryError as error:
            why = str(error)
    return paired, [math.nan] * len(levels), why
