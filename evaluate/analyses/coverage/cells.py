"""One estimator in one design: how many of its intervals hold the truth, and whether that is as many as they should."""

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
"""Settings, and seeds of each."""

MANY_MATCHES, DRAWS_SHARE = 1000, 0.2
"""Matches from which on statistics that leave out one cluster after the other are simulated less often; how often."""


class Cell(NamedTuple):
    """What came out for one estimator in one design.

    Attributes:
        estimator: In words.
        over: Of what the intervals speak.
        settings: How many.
        seeds: Of each setting.
        coverage: Share of the intervals that hold the truth; NaN where there are none.
        interval_share: Share of the draws that have an interval.
        truth: What they should hold.
        draws: That were simulated.
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
    if estimator in JACKKNIFE_ESTIMATORS and settings * seeds >= MANY_MATCHES:
        draws = round(DRAWS_SHARE * draws)
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
            if (
                settings >= MIN_CLUSTERS
                if over == "settings"
                else seeds > 1 and settings * (seeds - 1) >= MIN_CLUSTERS - 1
            ):
                yield over, settings, seeds


# How often intervals are to cover, by how much a simulation may be off, and where they cannot


LOW, HIGH = 0.93, 0.97
"""Shares of intervals that hold the truth."""

SIGMAS = 3.0
"""Standard errors of a simulation by which it may be off."""

SHARE_PREFIX = "mean: yes"
"""How the names begin of shares of matches that end in one of two ways."""

WHOLE_ROUNDS = "a median is a whole round: one of the two ends can miss, the other hardly ever"
WHOLE_ANSWERS = "of ten answers there are few values that F1 can have"
OTHER_REASONS: Mapping[tuple[str, int], str] = {("F1", 10): WHOLE_ANSWERS}
"""Other reasons, by estimator and matches."""


def is_within_bounds(cell: Cell) -> bool:
    """Whether what was simulated is from `LOW` to `HIGH`, but for the error of a simulation."""
    low, high = bounds(cell.draws)
    return low <= cell.coverage <= high


def bounds(draws: int, sigmas: float = SIGMAS) -> tuple[float, float]:
    """`LOW` and `HIGH`, so many standard errors of a simulation further apart."""
    below, above = (sigmas * math.sqrt(share * (1 - share) / draws) for share in (LOW, HIGH))
    return LOW - below, min(HIGH + above, 1.0)


def attainable(cases: int, share: float) -> tuple[float, float]:
    """What an interval can cover of a share of independent cases: the nearest below 0.95 and above.

    It holds the share for some numbers of yes that follow each other, among them the likeliest; by symmetry as many on
    either side if the share is one half.

    Args:
        cases: How many there are.
        share: The true one.
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
    """Why a cell is not within the bounds; empty if nothing is known that says so."""
    if cell.estimator.startswith(SHARE_PREFIX):
        low, high = attainable(cell.settings * cell.seeds, cell.truth)
        if low < LOW and high > HIGH:
            return (
                f"{cell.settings * cell.seeds} matches: a share of {cell.truth:.3g} is held by {low:.3f} or {high:.3f}"
            )
    if cell.estimator == "median round of agreement":
        return WHOLE_ROUNDS
    return OTHER_REASONS.get((cell.estimator, cell.settings * cell.seeds), "")
