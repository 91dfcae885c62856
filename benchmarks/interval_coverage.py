"""How often 95% intervals contain the truth, in simulated samples: the tables of docs/statistics.md.

python benchmarks/interval_coverage.py        # a few minutes on one core
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from econzoo.evaluate.run import Spending
from econzoo.evaluate.run.cost_estimate import estimate as cost_of
from econzoo.evaluate.show import NOTHING, format_number, markdown_table
from econzoo.evaluate.stats import FISHER_SCALE, MIN_CLUSTERS, Columns, Interval, Observation, Population
from econzoo.evaluate.stats import center_by_setting, clusters_of, difference_ends, differences, errors_over_seeds
from econzoo.evaluate.stats import errors_over_settings, estimate, estimate_pairs, jackknife_clusters
from econzoo.evaluate.stats import mean_of_daily_medians, mean_of_draws, mean_over_groups, median_interval, payoff_ends
from econzoo.evaluate.stats import pearson, ranks, survival, weighted_slope
from econzoo.evaluate.stats.jackknife import IDENTITY_SCALE, Cases, Scale

Shape = tuple[int, int, int]
"""Draws, settings, seeds."""

Estimator = Callable[[np.random.Generator, Shape, Population], tuple[np.ndarray, float]]
"""Function from a generator and a design to the ends of intervals, shape (draws, 2), and the true value."""

NO_INTERVAL = np.full((1, 2), np.nan), 0.0
"""Result of an estimator without intervals over this population."""


# Payoffs of players by setting and seed


class Payoffs(NamedTuple):
    """Payoffs of a player whose mean is known.

    Attributes:
        name: Name of the distribution.
        setting: Function that samples setting means of a shape.
        sample: Function from a generator, setting means, shape (..., settings), and the number of seeds to payoffs,
            shape (..., settings, seeds).
        mean: Mean over all settings.
    """

    name: str
    setting: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    sample: Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
    mean: float


def sample_constant(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return np.repeat(settings[..., None], seeds, axis=-1)


def sample_normal(sd: float, rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, sd, (*settings.shape, seeds))


def sample_skewed(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] * rng.exponential(1.0, (*settings.shape, seeds))


def sample_binary(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return (rng.random((*settings.shape, seeds)) < settings[..., None]).astype(float)


def sample_wins(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """1 for a win, 0.5 for a tie (in a fifth of the matches), 0 for a loss."""
    uniform = rng.random((*settings.shape, seeds))
    return np.where(uniform < settings[..., None] - 0.1, 1.0, np.where(uniform < settings[..., None] + 0.1, 0.5, 0.0))


def sample_mostly_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Regret: 0 in most matches."""
    return sample_binary(rng, settings, seeds) * rng.exponential(1.0, (*settings.shape, seeds))


def sample_quotients(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Mean deviations of five rounds over those of five others, as an adaption index; 5 / 4 on average."""
    above, below = (rng.gamma(5.0, 1.0, (*settings.shape, seeds)) for _ in range(2))
    return np.asarray(settings[..., None] * 0.8 * above / below)


def constant_means(value: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: np.full(shape, value)


def beta_means(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.beta(2, 5, shape)


NOISY_PAYOFFS = Payoffs("stochastic", beta_means, partial(sample_normal, 0.2), 2 / 7)
SKEWED_PAYOFFS = Payoffs("skewed", beta_means, sample_skewed, 2 / 7)

PAYOFFS = (
    Payoffs("deterministic", beta_means, sample_constant, 2 / 7),
    NOISY_PAYOFFS,
    SKEWED_PAYOFFS,
    Payoffs("0 in most matches", beta_means, sample_mostly_zero, 2 / 7),
    Payoffs("quotient of each match", constant_means(1.25), sample_quotients, 1.25),
    Payoffs("near 0", lambda rng, shape: rng.normal(0.001, 0.01, shape), partial(sample_normal, 0.02), 0.001),
    Payoffs("yes in 2%", constant_means(0.02), sample_binary, 0.02),
    Payoffs("yes in 50%", constant_means(0.5), sample_binary, 0.5),
    Payoffs("yes in 98%", constant_means(0.98), sample_binary, 0.98),
    Payoffs("yes, more in some settings", beta_means, sample_binary, 2 / 7),
    Payoffs(
        "wins, ties count half", lambda rng, shape: 0.1 + 0.8 * rng.beta(5, 2, shape), sample_wins, 0.1 + 0.8 * 5 / 7
    ),
)


def sample_payoffs(
    payoffs: Payoffs, rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """Sample payoffs, shape (draws, settings, seeds), and return them with the true mean."""
    draws, settings, seeds = shape
    if over == "settings":
        return payoffs.sample(rng, payoffs.setting(rng, (draws, settings)), seeds), payoffs.mean
    fixed = payoffs.setting(rng, (settings,))
    return payoffs.sample(rng, np.tile(fixed, (draws, 1)), seeds), float(fixed.mean())


def table_of(**columns: np.ndarray) -> Columns:
    """Convert values of shape (draws, settings, seeds) to a table with columns ``draw``, ``setting``, ``cluster``."""
    shape = next(iter(columns.values())).shape
    places = (np.broadcast_to(part, shape).ravel() for part in np.indices(shape))
    names = zip(("draw", "setting", "cluster"), places, strict=True)
    return Columns({**dict(names), **{name: values.ravel() for name, values in columns.items()}})


def ends_of(over: Population, name: str = "value", **columns: np.ndarray) -> np.ndarray:
    """Estimate a column of `table_of` by draw; return the ends of its intervals."""
    return ends_by_draw(estimate(table_of(**columns), ["draw"], [name], over=over), name)


def ends_by_draw(found: Mapping[Any, Mapping[str, Interval]], column: str) -> np.ndarray:
    return np.array([[one[column].low, one[column].high] for one in found.values()])


# Means, rates and differences


def mean(payoffs: Payoffs, rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    values, truth = sample_payoffs(payoffs, rng, shape, over)
    return ends_of(over, value=values), truth


def share_of_sums(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A player with a mean error rate of 0.2 that varies between matches of one to ten answers."""
    answers = rng.integers(1, 11, shape)
    errors = rng.binomial(answers, rng.beta(2, 8, shape))
    return ends_of(over, "error_rate", errors=errors, answers=answers), 0.2


def lies(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Lies about bad products among ten, by a seller whose lie rate varies between settings."""
    rates = rng.beta(2, 3, (shape[0] if over == "settings" else 1, shape[1]))
    bad = rng.binomial(10, 0.5, shape)
    said = rng.binomial(bad, np.broadcast_to(rates[..., None], shape))
    return ends_of(over, "error_rate", errors=said, answers=bad), 0.4 if over == "settings" else float(rates.mean())


def difference(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two players with common effects of settings and seeds; one is better by a skewed amount with mean 0.1."""
    shared, _ = sample_payoffs(NOISY_PAYOFFS, rng, shape, over)
    both = np.concatenate([shared + rng.exponential(0.1, shape), shared])
    pairs = [(draw, draw + len(shared)) for draw in range(len(shared))]
    found = differences(table_of(value=both), pairs, "value", by="draw", over=over)
    return np.array([[gap.low, gap.high] for gap in found.values()]), 0.1


def several_differences(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Five players equal to a sixth one; covered if Holm's procedure rejects none."""
    draws, *cells = shape
    pairs = [(0, other) for other in range(1, 6)]
    shared, _ = sample_payoffs(NOISY_PAYOFFS, rng, shape, over)
    marked = [
        any(gap.distinct for gap in differences(table_of(value=one), pairs, "value", by="draw", over=over).values())
        for one in shared[:, None] + rng.normal(0, 0.1, (draws, 6, *cells))
    ]
    return np.array(marked)[:, None] + [-0.5, 0.5], 0.0


def mean_over_games(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """The mean over games of five settings each with different payoff scales, as in `standard`."""
    if over == "seeds":
        return NO_INTERVAL
    values, truth = sample_payoffs(SKEWED_PAYOFFS, rng, shape, over)
    setting = np.indices(shape[1:])[0].ravel()
    games = shape[1] // 5
    sizes = np.linspace(0.5, 1.5, games) if games > 1 else np.ones(1)
    place = {"setting": setting, "game": setting % games}
    found = [
        mean_over_groups(Columns({**place, "value": one.ravel() * sizes[setting % games]}), "game", ["value"])["value"]
        for one in values
    ]
    return np.array([one[1:3] for one in found]), truth


def evolution(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A payoff of the analysis ``evolution``."""
    found, truth = payoffs_of_pairs(rng, shape, over)
    return found[:, 1:], truth


def difference_of_evolution(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A difference of two payoffs, on which a verdict depends."""
    both = [payoffs_of_pairs(rng, shape, over) for _ in range(2)]
    return np.stack(difference_ends(both[0][0].T, both[1][0].T), axis=1), both[0][1] - both[1][1]


def payoffs_of_pairs(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Means with both ends, shape (draws, 3), and the truth."""
    values, truth = sample_payoffs(SKEWED_PAYOFFS, rng, shape, over)
    names = [f"{setting}#{seed}" for setting in range(shape[1]) for seed in range(shape[2])]
    seen = ([Observation(0, *cell) for cell in zip(names, one.ravel().tolist(), strict=True)] for one in values)
    found = np.array([estimate_pairs(list(one), over) for one in seen]).T
    return np.stack([found[0], *payoff_ends(found[0], found[1], found[2], found[4])], axis=1), truth


def medians(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """The mean of daily medians over games of ten correlated days, all of one setting."""
    draws, settings, seeds = shape
    if settings > 1:
        return NO_INTERVAL
    values = np.exp(0.5 * (rng.normal(size=(draws, seeds, 1)) + rng.normal(size=(draws, seeds, 10))))
    return np.array([mean_of_daily_medians(one)[1:3] for one in values]), 1.0


def learning_curve(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Three opponents in episodes with settings sampled from those of the evaluation."""
    if over == "settings":
        return NO_INTERVAL
    draws, settings, seeds = shape
    means = rng.beta(2, 5, settings)
    luck = rng.choice(means, (draws, 1, settings * seeds)) * rng.exponential(1.0, (draws, 1, settings * seeds))
    draw, _, episode = np.indices((draws, 3, settings * seeds))
    values = luck * [[1.0], [0.8], [1.2]] + rng.normal(0, 0.1, draw.shape)
    table = Columns({"draw": draw.ravel(), "cluster": episode.ravel(), "value": values.ravel()})
    found = estimate(table, ["draw"], ["value"], over=over, signed=["value"])
    return ends_by_draw(found, "value"), float(means.mean())


def remaining_cost(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Ten more matches of each pairing with skewed costs: the interval minus their true cost."""
    if over == "settings":
        return NO_INTERVAL
    draws, pairings, first = shape
    costs = rng.uniform(0.5, 2.0, (draws, pairings, 1)) * rng.lognormal(0.0, 0.4, (draws, pairings, first + 10))
    names = [(str(at),) for at in range(pairings)]
    found = []
    for one in costs:
        played = [
            (name, Spending(cost, 0)) for name, own in zip(names, one, strict=True) for cost in own[:first].tolist()
        ]
        predicted, spent = cost_of(played, names * 10), one[:, first:].sum()
        found.append([predicted.low - spent, predicted.high - spent])
    return np.array(found), 0.0


def training_seeds(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A training whose result varies between seeds, in fixed settings."""
    if over == "settings":
        return NO_INTERVAL
    draws, settings, seeds = shape
    luck = rng.normal(0.0, 0.03, (draws, 1, seeds)) + rng.normal(0.0, 0.05, shape)
    fixed = rng.beta(2, 5, (settings, 1))
    means = (fixed + luck).mean(axis=1)
    return np.array([mean_of_draws(one.tolist())[1:3] for one in means]), float(fixed.mean())


# Jackknife intervals: correlations, trends, scores


def jackknife_draws(
    statistic: Callable[[int, np.ndarray], np.ndarray],
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


def sample_correlated(rng: np.random.Generator, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Two normal variables per match with correlation 0.6."""
    x = rng.normal(size=shape)
    return x.reshape(shape[0], -1), (0.6 * x + 0.8 * rng.normal(size=shape)).reshape(shape[0], -1)


def correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    x, y = sample_correlated(rng, shape)
    return jackknife_draws(lambda i, w: pearson(x[i], y[i], w)[:, None], shape, over, FISHER_SCALE)[:, 1:, 0], 0.6


def rank_correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    x, y = sample_correlated(rng, shape)
    found = jackknife_draws(lambda i, w: pearson(ranks(x[i], w), ranks(y[i], w), w)[:, None], shape, over, FISHER_SCALE)
    return found[:, 1:, 0], float(6 / np.pi * np.arcsin(0.3))


def correlation_within(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Correlation of deviations from setting means, with equal variances between and within settings."""
    if shape[2] == 1:
        return NO_INTERVAL
    setting = np.indices(shape[1:])[0].ravel()
    x, y = (one + rng.normal(size=(1, shape[1]))[:, setting] for one in sample_correlated(rng, shape))

    def within(i: int, weights: np.ndarray) -> np.ndarray:
        first, second = (center_by_setting(one[i], setting, weights) for one in (x, y))
        return pearson(first, second, weights)[:, None]

    return jackknife_draws(within, shape, over, FISHER_SCALE)[:, 1:, 0], 0.6


def slope(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A slope of 0.5 with skewed noise."""
    x = rng.uniform(0, 1, (shape[0], shape[1] * shape[2]))
    y = 0.5 * x + rng.exponential(0.3, x.shape)
    found = jackknife_draws(lambda i, w: weighted_slope(x[i], y[i], w), shape, over, skewed=False)
    return found[:, 1:, 0], 0.5


ROUNDS, AFTER_ROUND = np.arange(1, 7), 3


def survival_of(median: bool, rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Share without a deal after three of six rounds, or the median round; 5% of matches are cut off per round."""
    draws, settings, _ = shape
    left = 0.5 + 0.4 * rng.beta(2, 2, (draws if over == "settings" else 1, settings))  # after a round, of those in it
    agreed, cut = rng.geometric(np.broadcast_to(1 - left[..., None], shape)), rng.geometric(0.05, shape)
    time = np.minimum(np.minimum(agreed, cut - 1), ROUNDS[-1])

    def curve(i: int, weights: np.ndarray) -> np.ndarray:
        last = time[i].reshape(-1, 1)
        events = (last == ROUNDS) & (agreed[i].reshape(-1, 1) <= last)
        return survival(weights @ events, weights @ (last >= ROUNDS).astype(float))

    found = jackknife_draws(curve, shape, over, cases=settings * shape[2])
    if median:  # 0.498 and less are left after two rounds of any settings like these
        first = 2.0 if over == "settings" else float(next(t for t in ROUNDS if (left**t).mean() <= 0.5))
        return np.array([median_interval(*one)[1:] for one in found]), first
    truth = 0.3598 if over == "settings" else float((left**AFTER_ROUND).mean())  # moments of Beta(2, 2): 1/2, 3/10, 1/5
    return found[:, 1:, AFTER_ROUND - 1], truth


def purchases(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Purchases among the decisions of a match, zero to ten, in one bin of belief."""
    rates = rng.beta(3, 2, (shape[0] if over == "settings" else 1, shape[1]))
    cases = rng.binomial(10, 0.2, shape)
    bought = rng.binomial(cases, np.broadcast_to(rates[..., None], shape))

    def rate(i: int, weights: np.ndarray) -> np.ndarray:
        above, below = (weights @ part[i].ravel() for part in (bought, cases))
        return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)[:, None]

    found = jackknife_draws(rate, shape, over, cases=cases.sum((1, 2)))
    return found[:, 1:, 0], 0.6 if over == "settings" else float(rates.mean())


def score(
    score_of: Callable[..., np.ndarray], rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """A reader of programs with mean accuracy 2/3 that varies between items; half of the items are positive."""
    if over == "seeds":
        return NO_INTERVAL
    _, items, answers = shape
    right = rng.binomial(answers, rng.beta(4, 2, (shape[0], items)))
    yes = rng.random(right.shape) < 0.5
    sums = np.stack([right * yes, (answers - right) * yes, right * ~yes, (answers - right) * ~yes], axis=2)
    own = shape[0], items, 1
    return jackknife_draws(lambda i, w: score_of(*(w @ sums[i]).T)[:, None], own, over, cases=np.inf)[:, 1:, 0], 2 / 3


def balanced_accuracy(said: np.ndarray, missed: np.ndarray, kept: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The mean of the accuracies on positive and negative items."""
    return np.asarray((fraction(said, missed) + fraction(kept, wrong)) / 2)


def f1(said: np.ndarray, missed: np.ndarray, kept: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    return fraction(2 * said, missed + wrong)


def fraction(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.divide(one, one + other, out=np.full_like(one, np.nan), where=one + other > 0)


# Regressions

PLAYERS = 3
"""Players in each of two seats; all pairs play."""

BATCH = 200
"""Draws per batch."""

LEVEL, PLAYER = 1, 2
"""Columns of the matrix: the level of a setting, the second player in the first seat."""


class Layout(NamedTuple):
    """Matches of one sample: regressors, and setting, seed and pair of each match."""

    matrix: np.ndarray
    setting: np.ndarray
    seed: np.ndarray
    pair: np.ndarray


def layout_of(settings: int, seeds: int, part: int) -> Layout:
    """All pairs in all settings with all seeds; the first 1 / `part` of the settings have the level."""
    setting, seed, first, second = (at.ravel() for at in np.indices((settings, seeds, PLAYERS, PLAYERS)))
    players = [seat == other for seat in (first, second) for other in range(1, PLAYERS)]
    matrix = np.column_stack([np.ones(len(setting)), setting < settings // part, *players]).astype(float)
    return Layout(matrix, setting, seed, first * PLAYERS + second)


def effect(
    column: int, part: int, rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """A zero effect, with skewed random effects of settings, and random effects of pairs and seeds."""
    draws, settings, seeds = shape
    if settings == 1:
        return NO_INTERVAL
    layout = layout_of(settings, seeds, part)
    solve = np.linalg.pinv(layout.matrix)
    fixed = sample_effects(rng, layout, 1) if over == "seeds" else np.zeros((1, 1))
    found = [
        coefficient_ends(column, layout, solve, sample_metric(rng, layout, fixed, min(BATCH, draws - at), over), over)
        for at in range(0, draws, BATCH)
    ]
    return np.concatenate(found), float(solve[column] @ fixed[:, 0]) if over == "seeds" else 0.0


def sample_effects(rng: np.random.Generator, layout: Layout, draws: int) -> np.ndarray:
    """Random effects of settings and pairs, shape (matches, draws)."""
    settings = rng.exponential(0.1, (layout.setting.max() + 1, draws)) - 0.1
    return np.asarray(settings[layout.setting] + rng.normal(0, 0.1, (PLAYERS**2, draws))[layout.pair])


def sample_metric(
    rng: np.random.Generator, layout: Layout, fixed: np.ndarray, draws: int, over: Population
) -> np.ndarray:
    """Values of the metric, shape (matches, draws)."""
    effects = sample_effects(rng, layout, draws) if over == "settings" else fixed
    common = rng.normal(0, 0.1, (layout.setting.max() + 1, layout.seed.max() + 1, draws))[layout.setting, layout.seed]
    return np.asarray(effects + common + rng.normal(0, 0.1, common.shape))


def coefficient_ends(
    column: int, layout: Layout, solve: np.ndarray, values: np.ndarray, over: Population
) -> np.ndarray:
    """Ends of the intervals of one coefficient, shape (draws, 2)."""
    coefficients = solve @ values
    residuals = values - layout.matrix @ coefficients
    if over == "settings":
        found = errors_over_settings(layout.matrix, residuals, layout.setting, layout.pair)
    else:
        seeds = layout.seed.max() + 1
        strata = np.repeat(np.arange(layout.setting.max() + 1), seeds)
        found = errors_over_seeds(layout.matrix, residuals, layout.setting * seeds + layout.seed, strata)
    half = stats.t.ppf(0.975, found.freedom[column]) * found.error[column]
    return np.stack([coefficients[column] - half, coefficients[column] + half], axis=1)


JACKKNIFE_ESTIMATORS: dict[str, Estimator] = {
    "correlation": correlation,
    "rank correlation": rank_correlation,
    "correlation within settings": correlation_within,
    "slope": slope,
    "survival curve": partial(survival_of, False),
    "median round of agreement": partial(survival_of, True),
    "purchase rate in a bin of belief": purchases,
    "balanced accuracy": partial(score, balanced_accuracy),
    "F1": partial(score, f1),
}

ESTIMATORS: dict[str, Estimator] = {
    **{f"mean: {payoffs.name}": partial(mean, payoffs) for payoffs in PAYOFFS},
    "ratio of sums: errors among answers": share_of_sums,
    "paired difference": difference,
    "mean over games": mean_over_games,
    "several differences, none of them real": several_differences,
    "lie rate": lies,
    "payoff of evolution": evolution,
    "payoff difference of evolution": difference_of_evolution,
    "mean of daily medians": medians,
    "reward of a learning curve": learning_curve,
    "cost of what is to come": remaining_cost,
    **JACKKNIFE_ESTIMATORS,
    "effect: level of half of the settings": partial(effect, LEVEL, 2),
    "effect: level of a fifth of the settings": partial(effect, LEVEL, 5),
    "effect: player": partial(effect, PLAYER, 2),
    "mean over training seeds": training_seeds,
}
"""All estimators with reported intervals, by name; their order determines the samples."""


# Coverage of one estimator in one design

DRAWS = 2000
DESIGNS = (
    *((1, seeds) for seeds in (10, 30)),
    *((settings, seeds) for settings in (5, 10, 30, 100) for seeds in (1, 3, 10)),
)
"""Number of settings, and seeds per setting."""

MANY_MATCHES, DRAWS_SHARE = 1000, 0.2
"""Number of matches from which jackknife statistics are simulated with fewer draws, and the share of draws."""


class Cell(NamedTuple):
    """Coverage of one estimator in one design; NaN if there are no intervals."""

    estimator: str
    over: Population
    settings: int
    seeds: int
    coverage: float
    interval_share: float
    truth: float
    draws: int


def cell(estimator: str, settings: int, seeds: int, over: Population, draws: int = DRAWS, seed: int = 0) -> Cell:
    """Simulate the coverage of one estimator in one design; over ``"seeds"`` the settings are the same in all draws."""
    rng = np.random.default_rng([seed, settings, seeds, list(ESTIMATORS).index(estimator)])
    if estimator in JACKKNIFE_ESTIMATORS and settings * seeds >= MANY_MATCHES:
        draws = round(DRAWS_SHARE * draws)
    ends, truth = ESTIMATORS[estimator](rng, (draws, settings, seeds), over)
    known = np.isfinite(ends).all(axis=1)
    hits = (ends[known, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[known, 1])
    covered = float(hits.mean()) if known.any() else math.nan
    return Cell(estimator, over, settings, seeds, covered, float(known.mean()), truth, draws)


def designs(over: Population) -> list[tuple[int, int]]:
    """Return the settings and seeds with valid intervals over a population.

    One seed per setting does not generalise to other seeds, nor do five settings to others.
    """
    if over == "settings":
        return [(settings, seeds) for settings, seeds in DESIGNS if settings >= MIN_CLUSTERS]
    return [
        (settings, seeds) for settings, seeds in DESIGNS if seeds > 1 and settings * (seeds - 1) >= MIN_CLUSTERS - 1
    ]


LOW, HIGH = 0.93, 0.97
SIGMAS = 3.0
"""Bounds on coverage, and tolerance in standard errors of the simulation."""


def is_within_bounds(cell: Cell) -> bool:
    """Whether coverage is from `LOW` to `HIGH`, up to simulation error."""
    low, high = bounds(cell.draws)
    return low <= cell.coverage <= high


def bounds(draws: int) -> tuple[float, float]:
    """Return `LOW` and `HIGH`, widened by `SIGMAS` standard errors of the simulation."""
    below, above = (SIGMAS * math.sqrt(share * (1 - share) / draws) for share in (LOW, HIGH))
    return LOW - below, min(HIGH + above, 1.0)


def attainable(cases: int, share: float) -> tuple[float, float]:
    """Return the attainable coverages of a binomial share nearest to 0.95, from below and from above.

    An interval contains the share for consecutive counts around the likeliest one; symmetric if the share is one half.
    """
    covered = set(attainable_coverages(cases, share))
    return max([one for one in covered if one < 0.95], default=0.0), min(one for one in covered if one >= 0.95)


def attainable_coverages(cases: int, share: float) -> Iterator[float]:
    chances = [math.comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in range(cases + 1)]
    top = min(range(cases + 1), key=lambda k: abs(k - share * cases))
    for first in range(top + 1):
        for last in range(top, cases + 1):
            if share != 0.5 or first + last == cases:
                yield round(sum(chances[first : last + 1]), 9)


def reason(cell: Cell) -> str:
    """Return the known reason why a cell is outside of the bounds; empty if there is none."""
    matches = cell.settings * cell.seeds
    if cell.estimator.startswith("mean: yes"):
        low, high = attainable(matches, cell.truth)
        if low < LOW and high > HIGH:
            return f"{matches} matches: a share of {cell.truth:.3g} is held by {low:.3f} or {high:.3f}"
    if cell.estimator == "median round of agreement":
        return "a median is a whole round: one of the two ends can miss, the other hardly ever"
    return "of ten answers there are few values that F1 can have" if (cell.estimator, matches) == ("F1", 10) else ""


def main() -> None:
    overs: tuple[Population, ...] = ("settings", "seeds")
    cells = [cell(name, *shape, over) for name in ESTIMATORS for over in overs for shape in designs(over)]
    for over in overs:
        shown = {name: [format_number(one.coverage) for one in cells if one[:2] == (name, over)] for name in ESTIMATORS}
        head = ["estimator", *(f"{settings} x {seeds}" for settings, seeds in designs(over))]
        table = markdown_table(head, [[name, *row] for name, row in shown.items() if {*row} != {NOTHING}])
        print(f"### Over {over}", "", *table, "", sep="\n")
    rows = [
        [one.estimator, one.over, f"{one.settings} x {one.seeds}", format_number(one.coverage), reason(one)]
        for one in cells
        if one.interval_share and not is_within_bounds(one)
    ]
    head = ["estimator", "over", "settings x seeds", "covered", "reason"]
    print("### Outside the bounds", "", *markdown_table(head, rows), sep="\n")


if __name__ == "__main__":
    main()
