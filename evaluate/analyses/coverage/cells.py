"""One estimator in one design: how many of its intervals hold the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.coverage.estimators import ESTIMATORS
from econzoo.evaluate.analyses.coverage.jackknifed import LEFT_OUT
from econzoo.evaluate.stats.estimates import Population
from econzoo.evaluate.stats.intervals import FEWEST

DRAWS = 2000
DESIGNS = (
    *((1, seeds) for seeds in (10, 30)),
    *((settings, seeds) for settings in (5, 10, 30, 100) for seeds in (1, 3, 10)),
)
"""Settings, and seeds of each."""

LARGE, FEWER = 1000, 0.2
"""Matches from which on statistics that leave out one cluster after the other are simulated less often; how often."""


class Cell(NamedTuple):
    """What came out for one estimator in one design.

    Attributes:
        estimator: In words.
        over: Of what the intervals speak.
        settings: How many.
        seeds: Of each setting.
        covered: Share of the intervals that hold the truth; NaN where there are none.
        told: Share of the draws that have an interval.
        truth: What they should hold.
        draws: That were simulated.
    """

    estimator: str
    over: Population
    settings: int
    seeds: int
    covered: float
    told: float
    truth: float
    draws: int


def cell(estimator: str, settings: int, seeds: int, over: Population, draws: int = DRAWS, seed: int = 0) -> Cell:
    """Coverage of one estimator in one design.

    Args:
        estimator: One of `ESTIMATORS`.
        settings: How many there are; over ``"seeds"`` they are the same in all draws.
        seeds: Of each.
        over: Of what the interval speaks.
        draws: Samples, or a few of them: see `LARGE`.
        seed: Of them.
    """
    rng = np.random.default_rng([seed, settings, seeds, list(ESTIMATORS).index(estimator)])
    if estimator in LEFT_OUT and settings * seeds >= LARGE:
        draws = round(FEWER * draws)
    ends, truth = ESTIMATORS[estimator](rng, (draws, settings, seeds), over)
    known = np.isfinite(ends).all(axis=1)
    hits = (ends[known, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[known, 1])
    covered = float(hits.mean()) if known.any() else math.nan
    return Cell(estimator, over, settings, seeds, covered, float(known.mean()), truth, draws)


def designs() -> Iterator[tuple[Population, int, int]]:
    """Populations, settings and seeds in which there are intervals that mean what they say.

    One seed in each of a few settings says nothing of other seeds; five settings say nothing of others.
    """
    for over in ("settings", "seeds"):
        for settings, seeds in DESIGNS:
            if settings >= FEWEST if over == "settings" else seeds > 1 and settings * (seeds - 1) >= FEWEST - 1:
                yield over, settings, seeds
