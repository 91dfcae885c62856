"""All estimators with reported intervals on simulated samples: means, rates, differences, effects, curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from econzoo.evaluate.analyses.coverage.jackknife_estimators import JACKKNIFE_ESTIMATORS
from econzoo.evaluate.analyses.coverage.samples import (
    PAYOFFS,
    SKEWED_PAYOFFS,
    Payoffs,
    Shape,
    no_interval,
    sample_payoffs,
    table_of,
)
from econzoo.evaluate.run.budget import Spending  # imports all that plays matches
from econzoo.evaluate.run.cost_estimate import estimate as cost_of
from econzoo.evaluate.stats.clustered_errors import errors_over_seeds, errors_over_settings
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.daily_medians import mean_of_daily_medians
from econzoo.evaluate.stats.estimates import Population, differences, estimate, mean_over_groups
from econzoo.evaluate.stats.intervals import Interval, difference_ends, payoff_ends
from econzoo.evaluate.stats.pair_payoffs import Observation
from econzoo.evaluate.stats.pair_payoffs import estimate as estimate_pair
from econzoo.evaluate.stats.students_t import mean_of_draws

PLAYERS = 3
"""Players in each of two seats; all pairs play."""

BATCH = 200
"""Draws per batch."""

LEVEL, PLAYER = 1, 2
"""Columns of the matrix: the level of a setting, the second player in the first seat."""


class _Layout(NamedTuple):
    """Matches of one sample: regressors, and setting, seed and pair of each match."""

    matrix: np.ndarray
    setting: np.ndarray
    seed: np.ndarray
    pair: np.ndarray


def _layout(settings: int, seeds: int, part: int) -> _Layout:
    """All pairs in all settings with all seeds; the first 1 / `part` of the settings have the level."""
    setting, seed, first, second = (at.ravel() for at in np.indices((settings, seeds, PLAYERS, PLAYERS)))
    players = [seat == other for seat in (first, second) for other in range(1, PLAYERS)]
    matrix = np.column_stack([np.ones(len(setting)), setting < settings // part, *players]).astype(float)
    return _Layout(matrix, setting, seed, first * PLAYERS + second)


def _effect(
    column: int, part: int, rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """A zero effect, with skewed random effects of settings, and random effects of pairs and seeds."""
    draws, settings, seeds = shape
    if settings == 1:
        return no_interval()
    layout = _layout(settings, seeds, part)
    solve = np.linalg.pinv(layout.matrix)
    fixed = _sample_effects(rng, layout, 1) if over == "seeds" else np.zeros((1, 1))
    found = [
        _intervals(column, layout, solve, _sample(rng, layout, fixed, min(BATCH, draws - at), over), over)
        for at in range(0, draws, BATCH)
    ]
    return np.concatenate(found), float(solve[column] @ fixed[:, 0]) if over == "seeds" else 0.0


def _sample_effects(rng: np.random.Generator, layout: _Layout, draws: int) -> np.ndarray:
    """Random effects of settings and pairs, shape (matches, draws)."""
    settings = rng.exponential(0.1, (layout.setting.max() + 1, draws)) - 0.1
    return np.asarray(settings[layout.setting] + rng.normal(0, 0.1, (PLAYERS**2, draws))[layout.pair])


def _sample(rng: np.random.Generator, layout: _Layout, fixed: np.ndarray, draws: int, over: Population) -> np.ndarray:
    """Values of the metric, shape (matches, draws)."""
    effects = _sample_effects(rng, layout, draws) if over == "settings" else fixed
    common = rng.normal(0, 0.1, (layout.setting.max() + 1, layout.seed.max() + 1, draws))[layout.setting, layout.seed]
    return np.asarray(effects + common + rng.normal(0, 0.1, common.shape))


def _intervals(column: int, layout: _Layout, solve: np.ndarray, values: np.ndarray, over: Population) -> np.ndarray:
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


REGRESSIONS = {
    "effect: level of half of the settings": partial(_effect, LEVEL, 2),
    "effect: level of a fifth of the settings": partial(_effect, LEVEL, 5),
    "effect: player": partial(_effect, PLAYER, 2),
}


Coverage = Callable[[np.random.Generator, Shape, Population], tuple[np.ndarray, float]]
"""Function from a generator and a design to the ends of intervals, shape (draws, 2), and the true value."""


def _mean(payoffs: Payoffs) -> Coverage:
    def estimate_coverage(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
        values, truth = sample_payoffs(payoffs, rng, shape, over)
        return _ends(estimate(table_of(value=values), ["draw"], ["value"], over=over), "value"), truth

    return estimate_coverage


def _share_of_sums(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A player with a mean error rate of 0.2 that varies between matches of one to ten answers."""
    answers = rng.integers(1, 11, shape)
    errors = rng.binomial(answers, rng.beta(2, 8, shape))
    return _ends(
        estimate(table_of(errors=errors, answers=answers), ["draw"], ["error_rate"], over=over), "error_rate"
    ), 0.2


def _difference(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two players with common effects of settings and seeds; one is better by a skewed amount with mean 0.1."""
    shared, _ = sample_payoffs(PAYOFFS[1], rng, shape, over)
    both = np.concatenate([shared + rng.exponential(0.1, shape), shared])
    pairs = [(draw, draw + len(shared)) for draw in range(len(shared))]
    found = differences(table_of(value=both), pairs, "value", by="draw", over=over)
    return np.array([[gap.low, gap.high] for gap in found.values()]), 0.1


def _lies(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Lies about bad products among ten, by a seller whose lie rate varies between settings."""
    draws, settings, _ = shape
    rates = rng.beta(2, 3, (draws if over == "settings" else 1, settings))
    bad = rng.binomial(10, 0.5, shape)
    lies = rng.binomial(bad, np.broadcast_to(rates[..., None], shape))
    found = estimate(table_of(errors=lies, answers=bad), ["draw"], ["error_rate"], over=over)
    return _ends(found, "error_rate"), 0.4 if over == "settings" else float(rates.mean())


def _mean_over_games(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """The mean over games of five settings each with different payoff scales, as in `standard`."""
    if over == "seeds":
        return no_interval()
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


def _several_differences(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Five players equal to a sixth one; covered if Holm's procedure rejects none."""
    draws, *cells = shape
    pairs = [(0, other) for other in range(1, 6)]
    shared, _ = sample_payoffs(PAYOFFS[1], rng, shape, over)
    marked = [
        any(gap.distinct for gap in differences(table_of(value=one), pairs, "value", by="draw", over=over).values())
        for one in shared[:, None] + rng.normal(0, 0.1, (draws, 6, *cells))
    ]
    return np.array(marked)[:, None] + [-0.5, 0.5], 0.0


def _evolution(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A payoff of the analysis ``evolution``."""
    found, truth = _payoffs_of_pairs(rng, shape, over)
    return found[:, 1:], truth


def _gap_of_evolution(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A difference of two payoffs, on which a verdict depends."""
    both = [_payoffs_of_pairs(rng, shape, over) for _ in range(2)]
    return np.stack(difference_ends(both[0][0].T, both[1][0].T), axis=1), both[0][1] - both[1][1]


def _payoffs_of_pairs(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Means with both ends, shape (draws, 3), and the truth."""
    values, truth = sample_payoffs(SKEWED_PAYOFFS, rng, shape, over)
    names = [f"{setting}#{seed}" for setting in range(shape[1]) for seed in range(shape[2])]
    seen = ([Observation(0, *cell) for cell in zip(names, one.ravel().tolist(), strict=True)] for one in values)
    found = np.array([estimate_pair(list(one), over) for one in seen]).T
    return np.stack([found[0], *payoff_ends(found[0], found[1], found[2], found[4])], axis=1), truth


def _learning_curve(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Three opponents in episodes with settings sampled from those of the evaluation."""
    if over == "settings":
        return no_interval()
    draws, settings, seeds = shape
    means = rng.beta(2, 5, settings)
    luck = rng.choice(means, (draws, 1, settings * seeds)) * rng.exponential(1.0, (draws, 1, settings * seeds))
    draw, _, episode = np.indices((draws, 3, settings * seeds))
    values = luck * [[1.0], [0.8], [1.2]] + rng.normal(0, 0.1, draw.shape)
    table = Columns({"draw": draw.ravel(), "cluster": episode.ravel(), "value": values.ravel()})
    return _ends(estimate(table, ["draw"], ["value"], over=over, signed=["value"]), "value"), float(means.mean())


def _medians(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """The mean of daily medians over games of ten correlated days, all of one setting."""
    draws, settings, seeds = shape
    if settings > 1:
        return no_interval()
    values = np.exp(0.5 * (rng.normal(size=(draws, seeds, 1)) + rng.normal(size=(draws, seeds, 10))))
    return np.array([mean_of_daily_medians(one)[1:3] for one in values]), 1.0


def _costs(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Ten more matches of each pairing with skewed costs: the interval minus their true cost."""
    if over == "settings":
        return no_interval()

    draws, pairings, first = shape
    mean = rng.uniform(0.5, 2.0, (draws, pairings, 1))
    costs = mean * rng.lognormal(0.0, 0.4, (draws, pairings, first + 10))
    names = [(str(at),) for at in range(pairings)]
    found = []
    for one in costs:
        played = [
            (name, Spending(cost, 0)) for name, own in zip(names, one, strict=True) for cost in own[:first].tolist()
        ]
        predicted, spent = cost_of(played, names * 10), one[:, first:].sum()
        found.append([predicted.low - spent, predicted.high - spent])
    return np.array(found), 0.0


def _training_seeds(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A training whose result varies between seeds, in fixed settings."""
    if over == "settings":
        return no_interval()
    draws, settings, seeds = shape
    luck = rng.normal(0.0, 0.03, (draws, 1, seeds)) + rng.normal(0.0, 0.05, shape)
    fixed = rng.beta(2, 5, (settings, 1))
    means = (fixed + luck).mean(axis=1)
    return np.array([mean_of_draws(one.tolist())[1:3] for one in means]), float(fixed.mean())


ESTIMATORS: dict[str, Coverage] = {
    **{f"mean: {payoffs.name}": _mean(payoffs) for payoffs in PAYOFFS},
    "ratio of sums: errors among answers": _share_of_sums,
    "paired difference": _difference,
    "mean over games": _mean_over_games,
    "several differences, none of them real": _several_differences,
    "lie rate": _lies,
    "payoff of evolution": _evolution,
    "payoff difference of evolution": _gap_of_evolution,
    "mean of daily medians": _medians,
    "reward of a learning curve": _learning_curve,
    "cost of what is to come": _costs,
    **JACKKNIFE_ESTIMATORS,
    **REGRESSIONS,
    "mean over training seeds": _training_seeds,
}
"""All estimators with reported intervals, by name."""


def _ends(found: Mapping[Any, Mapping[str, Interval]], column: str) -> np.ndarray:
    return np.array([[one[column].low, one[column].high] for one in found.values()])
