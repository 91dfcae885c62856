"""Every way to an interval that is printed, tried on simulated samples: means, rates, differences, trends, curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from econzoo.evaluate.columns import Columns
from econzoo.evaluate.coverage.regressions import REGRESSIONS
from econzoo.evaluate.coverage.samples import PAYOFFS, SKEWED, Payoffs, Shape, drawn, table_of
from econzoo.evaluate.intervals import Interval, payoff_ends
from econzoo.evaluate.jackknife import FISHER, PLAIN, Scale, Shares, jackknife
from econzoo.evaluate.pair_payoffs import Observation
from econzoo.evaluate.pair_payoffs import estimate as estimate_pair
from econzoo.evaluate.statistics import Population, differences, estimate
from econzoo.evaluate.survival_curve import survival

Coverage = Callable[[np.random.Generator, Shape, Population], tuple[np.ndarray, float]]
"""From a generator and a design to the ends of intervals, shape (draws, 2), and what they should hold."""


def _mean(payoffs: Payoffs) -> Coverage:
    def covered(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
        values, truth = drawn(payoffs, rng, shape, over)
        return _ends(estimate(table_of(value=values), ["draw"], ["value"], over=over), "value"), truth

    return covered


def _share_of_sums(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A player who errs in a fifth of its answers, more in some matches; a match has one to ten."""
    answers = rng.integers(1, 11, shape)
    errors = rng.binomial(answers, rng.beta(2, 8, shape))
    return _ends(
        estimate(table_of(errors=errors, answers=answers), ["draw"], ["error_rate"], over=over), "error_rate"
    ), 0.2


def _difference(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two who share what is peculiar to settings and seeds; one is better by a tenth, mostly by less."""
    shared, _ = drawn(PAYOFFS[1], rng, shape, over)
    both = np.stack([shared + rng.exponential(0.1, shape), shared], axis=1)
    ends = []
    for one in both:
        gap = differences(table_of(value=one), [(0, 1)], "value", by="draw", over=over)[0, 1]
        ends.append([gap.low, gap.high])
    return np.array(ends), 0.1


def _correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two numbers of a match that correlate by 0.6."""
    x = rng.normal(size=shape)
    y = 0.6 * x + 0.8 * rng.normal(size=shape)
    return _left_out(lambda i, weights: _pearson(x[i].ravel(), y[i].ravel(), weights), shape, over, FISHER), 0.6


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1)
    dx, dy = (v - ((weights @ v) / total)[:, None] for v in (x, y))
    return ((weights * dx * dy).sum(1) / np.sqrt((weights * dx**2).sum(1) * (weights * dy**2).sum(1)))[:, None]


def _slope(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A trend of 0.5 a unit under skewed noise."""
    x = rng.uniform(0, 1, shape)
    y = 0.5 * x + rng.exponential(0.3, shape)

    def slope(i: int, weights: np.ndarray) -> np.ndarray:
        one, other = x[i].ravel(), y[i].ravel()
        mean = (weights @ one) / weights.sum(axis=1)
        apart = weights * (one - mean[:, None])
        return ((apart @ other) / (apart * (one - mean[:, None])).sum(1))[:, None]

    return _left_out(slope, shape, over, skewed=False), 0.5


def _left_out(
    statistic: Callable[[int, np.ndarray], np.ndarray],
    shape: Shape,
    over: Population,
    scale: Scale = PLAIN,
    skewed: bool = True,
    shares: Shares = False,
) -> np.ndarray:
    draws, settings, seeds = shape
    market, cluster = (part.ravel() for part in np.indices((settings, seeds)))
    table = Columns({"market": market, "cluster": cluster})
    found = [jackknife(partial(statistic, i), table, shares, scale, over, skewed) for i in range(draws)]
    return np.array([[one[1][0], one[2][0]] for one in found])


ROUNDS, AFTER = np.arange(1, 7), 3


def _survival(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Matches without a deal after three rounds of six; one match in twenty is cut off in each round."""
    draws, settings, _ = shape
    left = 0.5 + 0.4 * rng.beta(2, 2, (draws if over == "settings" else 1, settings))  # after a round, of those before
    chances = np.broadcast_to(1 - left[..., None], shape)
    agreed, cut = rng.geometric(chances), rng.geometric(0.05, shape)
    time = np.minimum(np.minimum(agreed, cut - 1), ROUNDS[-1])

    def curve(i: int, weights: np.ndarray) -> np.ndarray:
        last = time[i].reshape(-1, 1)
        events = (last == ROUNDS) & (agreed[i].reshape(-1, 1) <= last)
        return survival(weights @ events, weights @ (last >= ROUNDS).astype(float))[:, [AFTER - 1]]

    truth = 0.3598 if over == "settings" else float((left**AFTER).mean())  # moments of Beta(2, 2): 1/2, 3/10, 1/5
    return _left_out(curve, shape, over, shares=True), truth


def _lies(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Lies among the bad ones of ten products, by a seller who lies more in some settings."""
    draws, settings, _ = shape
    rates = rng.beta(2, 3, (draws if over == "settings" else 1, settings))
    bad = rng.binomial(10, 0.5, shape)
    lies = rng.binomial(bad, np.broadcast_to(rates[..., None], shape))
    found = estimate(table_of(errors=lies, answers=bad), ["draw"], ["error_rate"], over=over)
    return _ends(found, "error_rate"), 0.4 if over == "settings" else float(rates.mean())


def _evolution(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A payoff of `econzoo evolve`."""
    values, truth = drawn(SKEWED, rng, shape, over)
    names = [f"{setting}#{seed}" for setting in range(shape[1]) for seed in range(shape[2])]
    seen = ([Observation(0, *cell) for cell in zip(names, one.ravel().tolist(), strict=True)] for one in values)
    found = np.array([estimate_pair(list(one), over) for one in seen]).T
    return np.stack(payoff_ends(found[0], found[1], found[2], found[4]), axis=1), truth


ESTIMATORS: dict[str, Coverage] = {
    **{f"mean: {payoffs.name}": _mean(payoffs) for payoffs in PAYOFFS},
    "ratio of sums: errors among answers": _share_of_sums,
    "paired difference": _difference,
    "correlation": _correlation,
    "slope": _slope,
    "survival curve": _survival,
    "lie rate": _lies,
    "payoff of evolve": _evolution,
    **REGRESSIONS,
}
"""Of everything that is printed with an interval, by its way to it."""


def _ends(found: Mapping[Any, Mapping[str, Interval]], column: str) -> np.ndarray:
    return np.array([[one[column].low, one[column].high] for one in found.values()])
