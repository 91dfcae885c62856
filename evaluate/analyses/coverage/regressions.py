"""Effects as the analysis ``regression`` estimates them, on simulated samples: of levels, and of players."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from econzoo.evaluate.analyses.coverage.samples import Shape, nothing
from econzoo.evaluate.stats.clustered_errors import over_seeds, over_settings
from econzoo.evaluate.stats.estimates import Population

PLAYERS = 3
"""In each of two seats; all pairs meet."""

BATCH = 200
"""Draws at a time."""

LEVEL, PLAYER = 1, 2
"""Columns of the matrix: the level of a setting, the second player in the first seat."""


class _Layout(NamedTuple):
    """Matches of one sample: the regressors, and setting, seed and pair of every match."""

    matrix: np.ndarray
    setting: np.ndarray
    seed: np.ndarray
    pair: np.ndarray


def _layout(settings: int, seeds: int, part: int) -> _Layout:
    """All pairs in all settings with all seeds; the first of so many equal parts of the settings have the level."""
    setting, seed, first, second = (at.ravel() for at in np.indices((settings, seeds, PLAYERS, PLAYERS)))
    players = [seat == other for seat in (first, second) for other in range(1, PLAYERS)]
    matrix = np.column_stack([np.ones(len(setting)), setting < settings // part, *players]).astype(float)
    return _Layout(matrix, setting, seed, first * PLAYERS + second)


def _effect(
    column: int, part: int, rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """An effect of nothing, where settings differ by a skewed peculiarity, pairs by another one, and seeds by luck."""
    draws, settings, seeds = shape
    if settings == 1:
        return nothing()
    layout = _layout(settings, seeds, part)
    solve = np.linalg.pinv(layout.matrix)
    fixed = _peculiar(rng, layout, 1) if over == "seeds" else np.zeros((1, 1))
    found = [
        _intervals(column, layout, solve, _sample(rng, layout, fixed, min(BATCH, draws - at), over), over)
        for at in range(0, draws, BATCH)
    ]
    return np.concatenate(found), float(solve[column] @ fixed[:, 0]) if over == "seeds" else 0.0


def _peculiar(rng: np.random.Generator, layout: _Layout, draws: int) -> np.ndarray:
    """What is peculiar to settings and to pairs, shape (matches, draws)."""
    settings = rng.exponential(0.1, (layout.setting.max() + 1, draws)) - 0.1
    return np.asarray(settings[layout.setting] + rng.normal(0, 0.1, (PLAYERS**2, draws))[layout.pair])


def _sample(rng: np.random.Generator, layout: _Layout, fixed: np.ndarray, draws: int, over: Population) -> np.ndarray:
    """Values of the metric, shape (matches, draws)."""
    drawn = _peculiar(rng, layout, draws) if over == "settings" else fixed
    luck = rng.normal(0, 0.1, (layout.setting.max() + 1, layout.seed.max() + 1, draws))[layout.setting, layout.seed]
    return np.asarray(drawn + luck + rng.normal(0, 0.1, luck.shape))


def _intervals(column: int, layout: _Layout, solve: np.ndarray, values: np.ndarray, over: Population) -> np.ndarray:
    """Ends of the intervals of one coefficient, shape (draws, 2)."""
    coefficients = solve @ values
    residuals = values - layout.matrix @ coefficients
    if over == "settings":
        found = over_settings(layout.matrix, residuals, layout.setting, layout.pair)
    else:
        seeds = layout.seed.max() + 1
        strata = np.repeat(np.arange(layout.setting.max() + 1), seeds)
        found = over_seeds(layout.matrix, residuals, layout.setting * seeds + layout.seed, strata)
    half = stats.t.ppf(0.975, found.freedom[column]) * found.error[column]
    return np.stack([coefficients[column] - half, coefficients[column] + half], axis=1)


REGRESSIONS = {
    "effect: level of half of the settings": partial(_effect, LEVEL, 2),
    "effect: level of a fifth of the settings": partial(_effect, LEVEL, 5),
    "effect: player": partial(_effect, PLAYER, 2),
}
