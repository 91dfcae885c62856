"""Coverage of one estimator in one design, and the bounds that it should be within."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.coverage.estimators import ESTIMATORS
from econzoo.evaluate.analyses.coverage.jackknife_estimators import JACKKNIFE_ESTIMATORS
from econzoo.evaluate.stats.estimates import Population
from econzoo.evaluate.stats.intervals import MIN_CLUSTERS

DRAWS = 2000
DESIGNS = (
    *((1, seeds) for seeds in (10, 30)),
    *((settings, seeds) for settings in (5, 10, 30, 100) for seeds in (1, 3, 10)),
)
"""Number of settings, and seeds per setting."""

MANY_MATCHES, DRAWS_SHARE = 1000, 0.2
"""Number of matches from which jackknife statistics are simulated with fewer draws, and the share of draws."""


class Cell(NamedTuple):
    """Coverage of one estimator in one design.

    Attributes:
        estimator: Name of the estimator.
        over: Population of the intervals.
        settings: Number of settings.
        seeds: Seeds per setting.
        coverage: Share of intervals that contain the truth; NaN if there are none.
        interval_share: Share of draws with an interval.
        truth: True value.
        draws: Number of simulated draws.
    """

    estimator: str
    over: Population
    settings: int
    seeds: int
    coverage: float
    interval_share: float
    truth: float
    draws: int


def cell(estimator: str, settings: int, seeds: int, over: Population, draws: int = DRAWS, seed: int = 0) -> Cell:
    """Simulate the coverage of one estimator in one design.

    Args:
        estimator: One of `ESTIMATORS`.
        settings: Number of settings; over ``"seeds"`` they are the same in all draws.
        seeds: Seeds per setting.
        over: Population of the intervals.
        draws: Number of samples; fewer are used with many matches (`MANY_MATCHES`).
        seed: Random seed.
    """
    rng = np.random.default_rng([seed, settings, seeds, list(ESTIMATORS).index(estimator)])
    if estimator in JACKKNIFE_ESTIMATORS and settings * seeds >= MANY_MATCHES:
        draws = round(DRAWS_SHARE * draws)
    ends, truth = ESTIMATORS[estimator](rng, (draws, settings, seeds), over)
    known = np.isfinite(ends).all(axis=1)
    hits = (ends[known, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[known, 1])
    covered = float(hits.mean()) if known.any() else math.nan
    return Cell(estimator, over, settings, seeds, covered, float(known.mean()), truth, draws)


def designs() -> Iterator[tuple[Population, int, int]]:
    """Yield populations, settings and seeds with valid intervals.

    One seed per setting does not generalise to other seeds, nor do five settings to others.
    """
    for over in ("settings", "seeds"):
        for settings, seeds in DESIGNS:
            if (
                settings >= MIN_CLUSTERS
                if over == "settings"
                else seeds > 1 and settings * (seeds - 1) >= MIN_CLUSTERS - 1
            ):
                yield over, settings, seeds


# Bounds on coverage, simulation error, and known exceptions


LOW, HIGH = 0.93, 0.97
"""Bounds on coverage."""

SIGMAS = 3.0
"""Tolerance in standard errors of the simulation."""

SHARE_PREFIX = "mean: yes"
"""Prefix of the names of estimators of binary outcomes."""

WHOLE_ROUNDS = "a median is a whole round: one of the two ends can miss, the other hardly ever"
WHOLE_ANSWERS = "of ten answers there are few values that F1 can have"
OTHER_REASONS: Mapping[tuple[str, int], str] = {("F1", 10): WHOLE_ANSWERS}
"""Other reasons, by estimator and matches."""


def is_within_bounds(cell: Cell) -> bool:
    """Whether coverage is from `LOW` to `HIGH`, up to simulation error."""
    low, high = bounds(cell.draws)
    return low <= cell.coverage <= high


def bounds(draws: int, sigmas: float = SIGMAS) -> tuple[float, float]:
    """Return `LOW` and `HIGH`, widened by `sigmas` standard errors of the simulation."""
    below, above = (sigmas * math.sqrt(share * (1 - share) / draws) for share in (LOW, HIGH))
    return LOW - below, min(HIGH + above, 1.0)


def attainable(cases: int, share: float) -> tuple[float, float]:
    """Return the attainable coverages of a binomial share nearest to 0.95, from below and from above.

    An interval contains the share for consecutive counts around the likeliest one; symmetric if the share is one half.

    Args:
        cases: Number of independent cases.
        share: True share.
    """
    covered = sorted(set(_coverages(cases, share)))
    return max([one for one in covered if one < 0.95], default=0.0), min(one for one in covered if one >= 0.95)


def _coverages(cases: int, share: float) -> Iterator[float]:
    chances = [math.comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in range(cases + 1)]
    top = min(range(cases + 1), key=lambda k: abs(k - share * cases))
    for first in range(top + 1):
        for last in range(top, cases + 1):
            if share != 0.5 or first + last == cases:
                yield round(sum(chances[first : last + 1]), 9)


def reason(cell: Cell) -> str:
    """Return the known reason why a cell is outside of the bounds; empty if there is none."""
    if cell.estimator.startswith(SHARE_PREFIX):
        low, high = attainable(cell.settings * cell.seeds, cell.truth)
        if low < LOW and high > HIGH:
            return (
                f"{cell.settings * cell.seeds} matches: a share of {cell.truth:.3g} is held by {low:.3f} or {high:.3f}"
            )
    if cell.estimator == "median round of agreement":
        return WHOLE_ROUNDS
    return OTHER_REASONS.get((cell.estimator, cell.settings * cell.seeds), "")
