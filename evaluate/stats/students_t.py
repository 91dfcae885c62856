"""Student's t with few degrees of freedom, and intervals of means of independent draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import fmean, stdev

from econzoo.evaluate.stats.intervals import CONFIDENCE, Interval

STEPS = 80
"""Bisection steps of the quantile, more than a float has binary digits (53)."""


ROUNDING = 1e-12
"""Relative differences below this are rounding errors."""


def central_probability(angle: float, freedom: int) -> float:
    """Return the probability that the absolute value of a t is below ``tan(angle) * sqrt(freedom)``.

    Source: Abramowitz and Stegun (1964), Handbook of Mathematical Functions, formulas 26.7.3 and 26.7.4.
    """
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    terms = []
    for power in range(2 + odd, freedom + 1, 2):
        terms.append(term)
        term *= square * (power - 1) / power
    found = sine * sum(terms)
    return 2 / math.pi * (angle + found) if odd else found


@cache
def quantile(probability: float, freedom: int) -> float:
    """Compute a quantile of Student's t, exact up to rounding.

    Args:
        probability: Level, from 0.5 to less than 1.
        freedom: Degrees of freedom, at least 1.
    """
    # Over the angle, which is bounded, unlike t.
    low, high = 0.0, math.pi / 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if central_probability(middle, freedom) < 2 * probability - 1 else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def mean_of_draws(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the mean of independent draws with Student's t interval, which is exact for normal draws."""
    return _interval(values, confidence, 0)


def p_value_of_mean(values: Sequence[float]) -> float:
    """Return the two-sided p-value of a mean of 0 by Student's t test of independent draws; 1 for fewer than two."""
    found, freedom = mean_of_draws(values), len(values) - 1
    if math.isnan(found.high):
        return 1.0
    t = found.mean / (found.high - found.mean) * quantile((1 + CONFIDENCE) / 2, freedom)
    return 1.0 - central_probability(math.atan(abs(t) / math.sqrt(freedom)), freedom)


def predict_draw(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the mean of independent draws with the interval of one further draw, which is exact for normal draws.

    It is ``sqrt(n + 1)`` times as wide as that of the mean: twice with three draws.

    Source: Hahn and Meeker (1991), Statistical intervals, section 4.7.

    Args:
        confidence: Probability that the interval covers the further draw.
    """
    return _interval(values, confidence, 1)


def _interval(values: Sequence[float], confidence: float, further: int) -> Interval:
    """Return the mean with the interval of itself, or of a `further` draw."""
    count, mean = len(values), fmean(values) if values else math.nan
    spread = stdev(values) if count > 1 and math.isfinite(mean) else 0.0
    # No interval for fewer than two, equal or unknown draws.
    if not spread > ROUNDING * abs(mean):
        return Interval(mean, math.nan, math.nan, count)
    half = quantile((1 + confidence) / 2, count - 1) * spread * math.sqrt(further + 1 / count)
    return Interval(mean, mean - half, mean + half, count)
