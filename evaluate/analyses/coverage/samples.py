"""Simulated samples with known truth: payoffs of players by setting and seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import Population

Sample = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
"""Function from a generator, setting means, shape (..., settings), and the number of seeds to payoffs, shape
(..., settings, seeds)."""


class Payoffs(NamedTuple):
    """Payoffs of a player whose mean is known.

    Attributes:
        name: Name of the distribution.
        setting: Function that samples setting means of a shape.
        sample: See `Sample`.
        mean: Mean over all settings.
    """

    name: str
    setting: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    sample: Sample
    mean: float


def _sample_constant(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return np.repeat(settings[..., None], seeds, axis=-1)


def _sample_noisy(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.2, (*settings.shape, seeds))


def _sample_skewed(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] * rng.exponential(1.0, (*settings.shape, seeds))


def _sample_near_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.02, (*settings.shape, seeds))


def _sample_binary(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return (rng.random((*settings.shape, seeds)) < settings[..., None]).astype(float)


def _sample_wins(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """1 for a win, 0.5 for a tie (in a fifth of the matches), 0 for a loss."""
    uniform = rng.random((*settings.shape, seeds))
    return np.where(uniform < settings[..., None] - 0.1, 1.0, np.where(uniform < settings[..., None] + 0.1, 0.5, 0.0))


def _sample_mostly_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Regret: 0 in most matches."""
    return _sample_binary(rng, settings, seeds) * rng.exponential(1.0, (*settings.shape, seeds))


def _sample_quotients(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Mean deviations of five rounds over those of five others, as an adaption index; 5 / 4 on average."""
    later, before = (rng.gamma(5.0, 1.0, (*settings.shape, seeds)) for _ in range(2))
    return np.asarray(settings[..., None] * 0.8 * later / before)


def _constant_means(value: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: np.full(shape, value)


def _beta_means(a: float, b: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: rng.beta(a, b, shape)


SKEWED_PAYOFFS = Payoffs("skewed", _beta_means(2, 5), _sample_skewed, 2 / 7)

PAYOFFS = (
    Payoffs("deterministic", _beta_means(2, 5), _sample_constant, 2 / 7),
    Payoffs("stochastic", _beta_means(2, 5), _sample_noisy, 2 / 7),
    SKEWED_PAYOFFS,
    Payoffs("0 in most matches", _beta_means(2, 5), _sample_mostly_zero, 2 / 7),
    Payoffs("quotient of each match", _constant_means(1.25), _sample_quotients, 1.25),
    Payoffs("near 0", lambda rng, shape: rng.normal(0.001, 0.01, shape), _sample_near_zero, 0.001),
    Payoffs("yes in 2%", _constant_means(0.02), _sample_binary, 0.02),
    Payoffs("yes in 50%", _constant_means(0.5), _sample_binary, 0.5),
    Payoffs("yes in 98%", _constant_means(0.98), _sample_binary, 0.98),
    Payoffs("yes, more in some settings", _beta_means(2, 5), _sample_binary, 2 / 7),
    Payoffs(
        "wins, ties count half", lambda rng, shape: 0.1 + 0.8 * rng.beta(5, 2, shape), _sample_wins, 0.1 + 0.8 * 5 / 7
    ),
)

Shape = tuple[int, int, int]
"""Draws, settings, seeds."""


def sample_payoffs(
    payoffs: Payoffs, rng: np.random.Generator, shape: Shape, over: Population
) -> tuple[np.ndarray, float]:
    """Sample payoffs, shape (draws, settings, seeds), and return them with the true mean."""
    draws, settings, seeds = shape
    if over == "settings":
        return payoffs.sample(rng, payoffs.setting(rng, (draws, settings)), seeds), payoffs.mean
    fixed = payoffs.setting(rng, (settings,))
    return payoffs.sample(rng, np.tile(fixed, (draws, 1)), seeds), float(fixed.mean())


def no_interval() -> tuple[np.ndarray, float]:
    """Return NaN ends, for estimators without intervals over this population."""
    return np.full((1, 2), np.nan), 0.0


def table_of(**columns: np.ndarray) -> Columns:
    """Convert values of shape (draws, settings, seeds) to a table with columns ``draw``, ``setting``, ``cluster``."""
    shape = next(iter(columns.values())).shape
    places = (np.broadcast_to(part, shape).ravel() for part in np.indices(shape))
    names = zip(("draw", "setting", "cluster"), places, strict=True)
    return Columns({**dict(names), **{name: values.ravel() for name, values in columns.items()}})
