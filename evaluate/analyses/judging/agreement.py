"""How far judges agree: Krippendorff's alpha, by the library of that name.

Alpha is 1 minus the observed disagreement over the disagreement to be expected by chance (Krippendorff 2019, Content
Analysis, chapter 12): 1 is agreement, 0 is chance, below 0 is less than chance. It allows for missing ratings: an item
counts if two judges or more have rated it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from econzoo.envs.core.extras import MissingLibraryError, require_libraries

Level = Literal["nominal", "ordinal", "interval"]

LEVELS: tuple[Level, ...] = ("ordinal", "interval")
"""How far apart two scores are: by ranks, or by the square of their difference."""


class Agreement(NamedTuple):
    """Of the judges on one dimension.

    Attributes:
        items: Rated by two judges or more; the others say nothing about agreement.
        judges: Who rated such items.
        ratings: Scores of such items.
        ordinal: Alpha with the ordinal metric; NaN where there is none.
        interval: Alpha with the interval metric; NaN where there is none.
        undefined: Why there is no alpha; empty if there is one.
    """

    items: int
    judges: int
    ratings: int
    ordinal: float
    interval: float
    undefined: str


def agreement(scores: Sequence[Sequence[float]] | np.ndarray) -> Agreement:
    """Krippendorff's alpha.

    Args:
        scores: Shape (judges, items); NaN where a judge gave none.

    Returns:
        Alpha of both metrics, or the reason why there is none.
    """
    given = np.asarray(scores, dtype=float)
    paired, alphas, why = alpha(given.reshape(len(given), -1), LEVELS, "player", "scores")
    rated = np.isfinite(paired)
    return Agreement(paired.shape[1], int(rated.any(axis=1).sum()), int(rated.sum()), alphas[0], alphas[1], why)


def alpha(given: np.ndarray, levels: Sequence[Level], item: str, ratings: str) -> tuple[np.ndarray, list[float], str]:
    """Krippendorff's alpha, level by level.

    Args:
        given: Shape (judges, items); NaN where a judge gave none.
        levels: How far apart two ratings are.
        item: What is rated, for the reason.
        ratings: What it is given.

    Returns:
        What two judges or more have rated, shape (judges, some of the items); alphas, NaN where there are none; and why
        there are none, empty if there are.
    """
    paired = given[:, np.isfinite(given).sum(axis=0) >= 2]
    why = "" if paired.size else f"no {item} has {ratings} of two judges"
    if not why and len(np.unique(paired[np.isfinite(paired)])) < 2:
        why = f"all {ratings} are the same, so chance expects no disagreement"
    if not why:
        try:
            require_libraries("alpha", "krippendorff")
            import krippendorff

            found = [krippendorff.alpha(reliability_data=paired, level_of_measurement=level) for level in levels]
            return paired, [float(one) for one in found], ""
        except MissingLibraryError as error:
            why = str(error)
    return paired, [math.nan] * len(levels), why
