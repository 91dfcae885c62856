"""What one type of player earns against another one, and how sure that is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import factorize
from econzoo.evaluate.stats.intervals import MIN_CLUSTERS, precision

if TYPE_CHECKING:
    from econzoo.evaluate.stats.estimates import Population


class Observation(NamedTuple):
    """What one seat earned in a match.

    Attributes:
        seat: Of the type, 0 or 1.
        cluster: Setting and seed: matches of a cluster share their luck.
        payoff: Per round of the base game.
    """

    seat: int
    cluster: str
    payoff: float


class Estimate(NamedTuple):
    """Mean of a pair, its standard error (NaN if not known) and skewness, the number of matches and of clusters.

    Where there are several settings, and seeds within them are what is drawn, clusters are as many as the degrees of
    freedom of the error and one.
    """

    mean: float
    error: float
    skewness: float
    matches: int
    clusters: int


def estimate(observations: Sequence[Observation], over: Population | None = None) -> Estimate:
    """Mean over seats of the means of each seat, with its standard error by clusters.

    With every cluster holding each seat once, this is the mean of the clusters' means and its usual standard error.

    Args:
        observations: At least one.
        over: Of what the error speaks; None: of settings if there are at least `FEWEST`, else of seeds.
    """
    seats = sorted({one.seat for one in observations})
    means = {seat: float(np.mean([one.payoff for one in observations if one.seat == seat])) for seat in seats}
    numbers = Counter(one.seat for one in observations)
    settings = {one.cluster: one.cluster.rpartition("#")[0] for one in observations}
    whole = (over or ("settings" if len(set(settings.values())) >= MIN_CLUSTERS else "seeds")) == "settings"
    influence: dict[str, float] = defaultdict(float)
    for one in observations:
        cluster = settings[one.cluster] if whole else one.cluster
        influence[cluster] += (one.payoff - means[one.seat]) / (numbers[one.seat] * len(seats))
    strata = None if whole else factorize(settings[cluster] for cluster in influence)[0]
    found = precision(np.array(list(influence.values()))[:, None], strata)
    error = float(np.sqrt(found.variance[0])) if len(influence) > 1 else np.nan
    mean = float(np.mean(list(means.values())))
    design, worth = int(found.design_freedom[0]) + 1, round(float(found.freedom[0])) + 1
    clusters = design if design < MIN_CLUSTERS else max(worth, MIN_CLUSTERS)
    return Estimate(mean, error, float(found.skewness[0]), len(observations), clusters)
