"""Mean payoffs of one type of player against another, with standard errors."""

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
    """Payoff of one seat in a match.

    Attributes:
        seat: Seat of the type, 0 or 1.
        cluster: Setting and seed, joined by #: matches of a cluster share random numbers.
        payoff: Payoff per round of the base game.
    """

    seat: int
    cluster: str
    payoff: float


class Estimate(NamedTuple):
    """Mean payoff of a pair, its standard error (NaN if unknown) and skewness, numbers of matches and clusters.

    For several settings with errors over seeds, the number of clusters is the error's degrees of freedom plus one.
    """

    mean: float
    error: float
    skewness: float
    matches: int
    clusters: int


def estimate_pairs(observations: Sequence[Observation], over: Population | None = None) -> Estimate:
    """Estimate the mean over seats of the seat means, with a clustered standard error.

    If every cluster has each seat once, this is the mean of cluster means and its usual standard error.

    Args:
        over: Population of the error; None: settings if there are at least `MIN_CLUSTERS`, else seeds.
    """
    seats = sorted({one.seat for one in observations})
    means = {seat: float(np.mean([one.payoff for one in observations if one.seat == seat])) for seat in seats}
    counts = Counter(one.seat for one in observations)
    settings = {one.cluster: one.cluster.rpartition("#")[0] for one in observations}
    over_settings = (over or ("settings" if len(set(settings.values())) >= MIN_CLUSTERS else "seeds")) == "settings"
    influence: dict[str, float] = defaultdict(float)
    for one in observations:
        cluster = settings[one.cluster] if over_settings else one.cluster
        # Deviations from the mean of the seat: seats pay differently, and the mean over seats weighs them equally.
        influence[cluster] += (one.payoff - means[one.seat]) / (counts[one.seat] * len(seats))
    strata = None if over_settings else factorize(settings[cluster] for cluster in influence)[0]
    found = precision(np.array(list(influence.values()))[:, None], strata)
    error = float(np.sqrt(found.variance[0])) if len(influence) > 1 else np.nan
    mean = float(np.mean(list(means.values())))
    design, worth = int(found.design_freedom[0]) + 1, round(float(found.freedom[0])) + 1
    # With enough clusters there is an interval, even if a few of them dominate the variance.
    clusters = design if design < MIN_CLUSTERS else max(worth, MIN_CLUSTERS)
    return Estimate(mean, error, float(found.skewness[0]), len(observations), clusters)
