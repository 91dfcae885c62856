"""Statistics with jackknife intervals on simulated samples: correlations, trends, scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from econzoo.evaluate.analyses.coverage.samples import Shape, no_interval
from econzoo.evaluate.stats.association import center_by_setting, pearson, ranks, weighted_slope
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import Population, clusters_of
from econzoo.evaluate.stats.jackknife import FISHER_SCALE, IDENTITY_SCALE, Cases, Scale, jackknife_clusters
from econzoo.evaluate.stats.survival_curve import median_interval, survival

Estimator = Callable[[np.random.Generator, Shape, Population], tuple[np.ndarray, float]]
"""See `econzoo.evaluate.analyses.coverage.estimators.Coverage`."""

DrawStatistic = Callable[[int, np.ndarray], np.ndarray]
"""Function from the index of a draw and weights to values; see `econzoo.evaluate.stats.jackknife.Statistic`."""


def _jackknife_draws(
    statistic: DrawStatistic,
    shape: Shape,
    over: Population,
    scale: Scale = IDENTITY_SCALE,
    skewed: bool = True,
    cases: Cases = 0.0,
) -> np.ndarray:
    """Values and ends of all draws, shape (draws, 3, statistics); of one statistic `cases` may be of shape (draws,)."""
    draws, settings, seeds = shape
    setting, cluster = (part.ravel() for part in np.indices((settings, seeds)))
    clusters = clusters_of(Columns({"setting": setting, "cluster": cluster}), over)

    def all_draws(weights: np.ndarray) -> np.ndarray:
        return np.concatenate([statistic(i, weights) for i in range(draws)], axis=1)

    found = np.stack(jackknife_clusters(all_draws, *clusters, cases, scale, skewed))
    return found.reshape(3, draws, -1).transpose(1, 0, 2)


def _sample_correlated(rng: np.random.Generator, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Two normal variables per match with correlation 0.6."""
    x = rng.normal(size=shape)
    return x.reshape(shape[0], -1), (0.6 * x + 0.8 * rng.normal(size=shape)).reshape(shape[0], -1)


def _correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    x, y = _sample_correlated(rng, shape)
    return _jackknife_draws(lambda i, w: pearson(x[i], y[i], w)[:, None], shape, over, FISHER_SCALE)[:, 1:, 0], 0.6


def _rank_correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    x, y = _sample_correlated(rng, shape)
    found = _jackknife_draws(
        lambda i, w: pearson(ranks(x[i], w), ranks(y[i], w), w)[:, None], shape, over, FISHER_SCALE
    )
    return found[:, 1:, 0], float(6 / np.pi * np.arcsin(0.3))


def _within_correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Correlation of deviations from setting means, with equal variances between and within settings."""
    if shape[2] == 1:
        return no_interval()
    setting = np.indices(shape[1:])[0].ravel()
    x, y = (one + rng.normal(size=(1, shape[1]))[:, setting] for one in _sample_correlated(rng, shape))

    def within(i: int, weights: np.ndarray) -> np.ndarray:
        first, second = (center_by_setting(one[i], setting, weights) for one in (x, y))
        return pearson(first, second, weights)[:, None]

    return _jackknife_draws(within, shape, over, FISHER_SCALE)[:, 1:, 0], 0.6


def _slope(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A slope of 0.5 with skewed noise."""
    x = rng.uniform(0, 1, (shape[0], shape[1] * shape[2]))
    y = 0.5 * x + rng.exponential(0.3, x.shape)
    found = _jackknife_draws(lambda i, w: weighted_slope(x[i], y[i], w), shape, over, skewed=False)
    return found[:, 1:, 0], 0.5


ROUNDS, AFTER_ROUND = np.arange(1, 7), 3


def _survival(median: bool, rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Share without a deal after three of six rounds, or the median round; 5% of matches are cut off per round."""
    draws, settings, _ = shape
    left = 0.5 + 0.4 * rng.beta(2, 2, (draws if over == "settings" else 1, settings))  # after a round, of those before
    agreed, cut = rng.geometric(np.broadcast_to(1 - left[..., None], shape)), rng.geometric(0.05, shape)
    time = np.minimum(np.minimum(agreed, cut - 1), ROUNDS[-1])

    def curve(i: int, weights: np.ndarray) -> np.ndarray:
        last = time[i].reshape(-1, 1)
        events = (last == ROUNDS) & (agreed[i].reshape(-1, 1) <= last)
        return survival(weights @ events, weights @ (last >= ROUNDS).astype(float))

    found = _jackknife_draws(curve, shape, over, cases=settings * shape[2])
    if median:  # 0.498 and less are left after two rounds of any settings like these
        first = 2.0 if over == "settings" else float(next(t for t in ROUNDS if (left**t).mean() <= 0.5))
        return np.array([median_interval(*one)[1:] for one in found]), first
    truth = 0.3598 if over == "settings" else float((left**AFTER_ROUND).mean())  # moments of Beta(2, 2): 1/2, 3/10, 1/5
    return found[:, 1:, AFTER_ROUND - 1], truth


def _bin(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Purchases among the decisions of a match, zero to ten, in one bin of belief."""
    rates = rng.beta(3, 2, (shape[0] if over == "settings" else 1, shape[1]))
    cases = rng.binomial(10, 0.2, shape)
    bought = rng.binomial(cases, np.broadcast_to(rates[..., None], shape))

    def rate(i: int, weights: np.ndarray) -> np.ndarray:
        above, below = (weights @ part[i].ravel() for part in (bought, cases))
        return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)[:, None]

    found = _jackknife_draws(rate, shape, over, cases=cases.sum((1, 2)))
    return found[:, 1:, 0], 0.6 if over == "settings" else float(rates.mean())


def _score(
    score: Callable[..., np.ndarray], rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """A reader of programs with mean accuracy 2/3 that varies between items; half of the items are positive."""
    if over == "seeds":
        return no_interval()
    _, items, answers = shape
    right = rng.binomial(answers, rng.beta(4, 2, (shape[0], items)))
    yes = rng.random(right.shape) < 0.5
    sums = np.stack([right * yes, (answers - right) * yes, right * ~yes, (answers - right) * ~yes], axis=2)
    own = shape[0], items, 1
    return _jackknife_draws(lambda i, w: score(*(w @ sums[i]).T)[:, None], own, over, cases=np.inf)[:, 1:, 0], 2 / 3


def _balanced_accuracy(said: np.ndarray, missed: np.ndarray, kept: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The mean of the accuracies on positive and negative items."""
    return np.asarray((_fraction(said, missed) + _fraction(kept, wrong)) / 2)


def _f1(said: np.ndarray, missed: np.ndarray, kept: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    return _fraction(2 * said, missed + wrong)


def _fraction(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.divide(one, one + other, out=np.full_like(one, np.nan), where=one + other > 0)


JACKKNIFE_ESTIMATORS: dict[str, Estimator] = {
    "correlation": _correlation,
    "rank correlation": _rank_correlation,
    "correlation within settings": _within_correlation,
    "slope": _slope,
    "survival curve": partial(_survival, False),
    "median round of agreement": partial(_survival, True),
    "purchase rate in a bin of belief": _bin,
    "balanced accuracy": partial(_score, _balanced_accuracy),
    "F1": partial(_score, _f1),
}
