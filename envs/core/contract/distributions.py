"""Distributions that nature draws from, besides a list of (outcome, probability)."""

from __future__ import annotations

from typing import NamedTuple


class Uniform(NamedTuple):
    """Any number from one to another, each as likely.

    Attributes:
        low: Smallest outcome.
        high: Largest outcome; finite, at least `low`.
    """

    low: float
    high: float


class Normal(NamedTuple):
    """The normal distribution.

    Attributes:
        mean: Its mean.
        deviation: Its standard deviation, >= 0.
    """

    mean: float
    deviation: float


class ByQuantile(NamedTuple):
    """Whatever the rules' `quantile` makes of a number that is uniform in [0, 1)."""


CONTINUOUS_DISTRIBUTIONS = (Uniform, Normal, ByQuantile)

Finite = tuple[tuple[float, float], ...]
"""(outcome, probability) of everything that can happen."""

Distribution = Finite | Uniform | Normal | ByQuantile
