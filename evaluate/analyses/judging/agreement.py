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

from econzoo.envs.core.extras import MissingLibraryError, need

LEVELS: tuple[Literal["ordinal", "interval"], ...] = ("ordinal", "interval")
"""How far apart two scores are: by ranks, or by the square of their difference."""

TOO_FEW = "no player has scores of two judges"
NO_VARIATION = "all scores are the same, so chance expects no disagreement"


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
    given = given.reshape(len(given), -1)
    known = np.isfinite(given)
    paired = given[:, known.sum(axis=0) >= 2]
    rated = np.isfinite(paired)
    size = paired.shape[1], int(rated.any(axis=1).sum()), int(rated.sum())
    why = TOO_FEW if not paired.size else NO_VARIATION if len(np.unique(paired[rated])) < 2 else ""
    if why:
        return Agreement(*size, math.nan, math.nan, why)
    try:
        need("alpha", "krippendorff")
    except MissingLibraryError as error:
        return Agreement(*size, math.nan, math.nan, str(error))
    import krippendorff

    ordinal, interval = (
        float(krippendorff.alpha(reliability_data=paired, level_of_measurement=level)) for level in LEVELS
    )
    return Agreement(*size, ordinal, interval, "")
