"""Metrics of the K-level paper for one player in a match (Zhang et al. 2024, arXiv:2402.01521, section 4).

Two faults of its public code are not reproduced: an undefined ratio is NaN and excluded from means, and a match that
ends early is not stretched to its full length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def drop_nan(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def mean(values: Sequence[float]) -> float:
    """Mean of the values that are not NaN; NaN if there are none."""
    known = drop_nan(values)
    return math.fsum(known) / len(known) if known else math.nan


def maximum(values: Sequence[float]) -> float:
    """Maximum of the values that are not NaN; NaN if there are none."""
    return max(drop_nan(values), default=math.nan)


def adaption_index(deviations: Sequence[float], rounds: int) -> float:
    """Mean deviation in the second half of a match divided by that in the first; below 1 the player adapts.

    The first half is rounds 1 to ``rounds // 2`` of the maximum length, also if the player was eliminated early. With
    halves of equal length this is the paper's ratio of sums.

    Args:
        deviations: The player's error in each round that it played, >= 0; NaN where undefined.
        rounds: Maximum length of the match, >= 1.

    Returns:
        A ratio >= 0; NaN if one half has no deviations, or those of the first half are all 0.
    """
    half = rounds // 2
    first, second = mean(deviations[:half]), mean(deviations[half:])
    return second / first if first > 0.0 else math.nan


def prediction_error(
    predicted: Sequence[float], actual: Sequence[float], statistic: Callable[[Sequence[float]], float]
) -> float:
    """Absolute difference between a statistic of the predicted amounts of a round and the same of the actual ones.

    The paper calls it prediction accuracy; lower is better.

    Args:
        predicted: Prediction for each other active player; NaN if missing.
        actual: Amounts of the others; NaN for eliminated players.
        statistic: `mean` or `maximum`.

    Returns:
        A distance >= 0; NaN without a prediction, or without other active players.
    """
    return abs(statistic(predicted) - statistic(actual))
