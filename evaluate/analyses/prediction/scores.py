"""Scores of predictions, with intervals over held-out units, and differences from the base rate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY
from econzoo.evaluate.analyses.prediction.decisions import Decision
from econzoo.evaluate.stats import BINS, MIN_CLUSTERS, Columns, Difference, IdenticalClusters, Interval, TooFewClusters
from econzoo.evaluate.stats import area_under_roc, bin_of, clusters_of, differences, jackknife, population, reliability

DEFAULT_PROBABILITY = 0.5
"""Probability in place of an invalid answer."""

LOG_LOSS, BRIER, ACCURACY, AUC, BIAS, ECE = MEASURES = (
    "log_loss", "brier", "accuracy", "auc", "bias", "calibration_error",
)  # fmt: skip
"""``log_loss``: mean negative log-likelihood in nats, probabilities clipped to [0.01, 0.99]. ``brier``: mean squared
error. ``accuracy``: share of decisions predicted with a threshold of one half; exactly one half counts half. ``auc``:
area under the ROC curve. ``bias``: mean probability minus the share of yes. ``calibration_error``: expected calibration
error in ten bins; biased upwards in small samples, and so without an interval."""


class Scores(NamedTuple):
    """Scores of one predictor on one task.

    Attributes:
        bins: Mean probability and share of yes of each nonempty bin.
    """

    measures: dict[str, Interval]
    bins: dict[int, tuple[float, Interval]]
    counts: dict[int, int]
    failure_count: int


def sampling_columns(decisions: Sequence[Decision], by: str) -> dict[str, list[str]]:
    """Return the sampling columns of decisions: held-out units as settings, clusters as seeds."""
    return {"setting": [getattr(one, by) for one in decisions], "cluster": [one.cluster for one in decisions]}


def log_losses(probabilities: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """Compute the negative log-likelihood of decisions in nats; both arrays have the same shape."""
    clipped = np.clip(probabilities, MIN_PROBABILITY, MAX_PROBABILITY)
    return -np.where(yes == 1, np.log(clipped), np.log1p(-clipped))


def scores(probabilities: np.ndarray, decisions: Sequence[Decision], by: str) -> Scores:
    """Compute the scores of one predictor.

    Args:
        probabilities: Probabilities of yes, shape (decisions,); NaN without a valid answer.
    """
    failed = np.isnan(probabilities)
    given, yes = np.where(failed, DEFAULT_PROBABILITY, probabilities), np.array([one.yes for one in decisions], float)
    right = np.where(given == 0.5, 0.5, (given > 0.5) == (yes == 1))
    plain = np.column_stack([log_losses(given, yes), (given - yes) ** 2, right, given - yes])
    in_bin = np.eye(BINS)[bin_of(given)]

    def statistic(weights: np.ndarray) -> np.ndarray:
        total = weights.sum(axis=1, keepdims=True)
        means = np.divide(weights @ plain, total, out=np.full((len(weights), 4), np.nan), where=total > 0)
        error, share, mean = reliability(given, yes, in_bin, weights)
        auc = area_under_roc(given, yes, weights)
        return np.column_stack([means[:, :3], auc, means[:, 3], error, share, mean])

    # Numbers of cases, in the order of `statistic`: accuracy is a binomial share unless a probability of one half
    # counts as half a case, the area under the curve is in [0, 1] but not binomial, and shares of bins have their own.
    halves = np.inf if (right % 1).any() else len(yes)
    cases = np.array([0, 0, halves, np.inf, 0, 0, *in_bin.sum(axis=0), *[0] * BINS])
    table = Columns.of_rows(_rows(decisions, by))
    found = np.stack(jackknife(statistic, table, cases), axis=1)
    found[MEASURES.index(ECE), 1:] = math.nan  # it is above 0 by chance alone
    strata = clusters_of(table, population(table))[1]
    # Clusters less strata are the degrees of freedom of an interval over seeds within settings.
    without = TooFewClusters if len(strata) - len(set(strata.tolist())) < MIN_CLUSTERS - 1 else IdenticalClusters
    intervals = [_interval(ends, len(yes), without) for ends in found.tolist()]
    intervals[MEASURES.index(ECE)] = Interval(*intervals[MEASURES.index(ECE)])
    share, mean = intervals[len(MEASURES) : len(MEASURES) + BINS], intervals[len(MEASURES) + BINS :]
    filled = {place: int(count) for place, count in enumerate(in_bin.sum(axis=0)) if count}
    bins = {place: (mean[place].mean, share[place]._replace(rows=filled[place])) for place in filled}
    return Scores(dict(zip(MEASURES, intervals, strict=False)), bins, filled, int(failed.sum()))


def _interval(ends: Sequence[float], rows: int, without: type[Interval]) -> Interval:
    """Return an interval, of type `without` if it is undefined."""
    mean, low, high = ends
    return (without if math.isnan(low) and not math.isnan(mean) else Interval)(mean, low, high, rows)


def _rows(decisions: Sequence[Decision], by: str) -> list[dict[str, str]]:
    columns = sampling_columns(decisions, by)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def gains(
    probabilities: Mapping[str, np.ndarray], decisions: Sequence[Decision], by: str, base: str
) -> dict[str, Difference]:
    """Compute the reduction in log loss of each predictor relative to a base predictor, paired by decision, in nats.

    Args:
        probabilities: Probabilities by predictor, as in `scores`.
    """
    yes, rows = np.array([one.yes for one in decisions], float), []
    for name, given in probabilities.items():
        losses = log_losses(np.where(np.isnan(given), DEFAULT_PROBABILITY, given), yes)
        rows += [
            {**row, "predictor": name, "loss": loss}
            for row, loss in zip(_rows(decisions, by), losses.tolist(), strict=True)
        ]
    pairs = [(base, name) for name in probabilities if name != base]
    found = differences(Columns.of_rows(rows), pairs, "loss", by="predictor")
    return {str(name): found[base, name] for _, name in pairs}
