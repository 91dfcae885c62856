"""What the K-level paper measures for one player in a match (Zhang et al. 2024, arXiv:2402.01521, section 4).

The faults of its public code are left out: a ratio that does not exist is NaN and is not averaged, and a match that
ends early is not stretched to its full length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def drop_nan(values: Sequence[float]) -> list[float]:
    """Those that are not NaN."""
    return [value for value in values if not math.isnan(value)]


def mean(values: Sequence[float]) -> float:
    """Mean of those that are not NaN; NaN if there are none."""
    known = drop_nan(values)
    return math.fsum(known) / len(known) if known else math.nan


def maximum(values: Sequence[float]) -> float:
    """Greatest of those that are not NaN; NaN if there are none."""
    return max(drop_nan(values), default=math.nan)


def adaption_index(deviations: Sequence[float], rounds: int) -> float:
    """Mean deviation in the second half of a match divided by that in the first; below 1: the player adapts.

    The first half are the rounds 1 to ``rounds // 2``, and it is the length of the whole match that is halved, also if
    the player went out before the end. With halves of equal length this is the ratio of the sums, as the paper has it.

    Args:
        deviations: How far the player was off in each round that it played, >= 0; NaN where there was nothing to miss.
        rounds: That the match can last, >= 1.

    Returns:
        A ratio >= 0; NaN if one of the halves has no deviations, or those of the first half are all 0.
    """
    half = rounds // 2
    first, second = mean(deviations[:half]), mean(deviations[half:])
    return second / first if first > 0.0 else math.nan


def prediction_error(
    predicted: Sequence[float], actual: Sequence[float], statistic: Callable[[Sequence[float]], float]
) -> float:
    """Distance between a figure of what was predicted for the others in a round and the same figure of what they did.

    The paper calls it prediction accuracy; lower is better.

    Args:
        predicted: One for each other player that is in; NaN for none.
        actual: What they named; NaN for who was out.
        statistic: The figure: `mean` or `highest`.

    Returns:
        A distance >= 0; NaN if there was no prediction, or nobody left to predict.
    """
    return abs(statistic(predicted) - statistic(actual))
