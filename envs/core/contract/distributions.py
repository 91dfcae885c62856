"""Distributions of chance moves, besides lists of (outcome, probability)."""

from __future__ import annotations

from typing import NamedTuple


class Uniform(NamedTuple):
    """Continuous uniform distribution.

    Attributes:
        low: Smallest outcome.
        high: Largest outcome; finite, at least `low`.
    """

    low: float
    high: float


class Normal(NamedTuple):
    """The normal distribution.

    Attributes:
        mean: Mean.
        deviation: Standard deviation, >= 0.
    """

    mean: float
    deviation: float


class ByQuantile(NamedTuple):
    """Distribution given by the rules' `quantile` function."""


CONTINUOUS_DISTRIBUTIONS = (Uniform, Normal, ByQuantile)

Finite = tuple[tuple[float, float], ...]
"""(outcome, probability) of every outcome."""

Distribution = Finite | Uniform | Normal | ByQuantile
