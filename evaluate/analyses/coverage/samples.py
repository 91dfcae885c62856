"""Simulated samples of which the truth is known: settings, seeds of each, and what players earn in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import Population

Sample = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
"""From a generator, the mean of each setting, shape (..., settings), and the number of seeds, to payoffs, shape
(..., settings, seeds)."""


class Payoffs(NamedTuple):
    """Payoffs of a player whose mean is known.

    Attributes:
        name: In words.
        setting: Draws the means of settings, of a shape.
        sample: See `Sample`.
        mean: Over all settings.
    """

    name: str
    setting: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    sample: Sample
    mean: float


def _same(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return np.repeat(settings[..., None], seeds, axis=-1)


def _noisy(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.2, (*settings.shape, seeds))


def _skewed(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] * rng.exponential(1.0, (*settings.shape, seeds))


def _near_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.02, (*settings.shape, seeds))


def _yes(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return (rng.random((*settings.shape, seeds)) < settings[..., None]).astype(float)


def _wins(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """1 for a win, 0.5 for a tie (in a fifth of the matches), 0 for a loss."""
    luck = rng.random((*settings.shape, seeds))
    return np.where(luck < settings[..., None] - 0.1, 1.0, np.where(luck < settings[..., None] + 0.1, 0.5, 0.0))


def _mostly_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Regret: 0 in most matches."""
    return _yes(rng, settings, seeds) * rng.exponential(1.0, (*settings.shape, seeds))


def _quotients(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    """Mean deviations of five rounds over those of five others, as an adaption index; 5 / 4 on average."""
    later, before = (rng.gamma(5.0, 1.0, (*settings.shape, seeds)) for _ in range(2))
    return np.asarray(settings[..., None] * 0.8 * later / before)


def _always(value: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: np.full(shape, value)


def _beta(a: float, b: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: rng.beta(a, b, shape)


SKEWED = Payoffs("skewed", _beta(2, 5), _skewed, 2 / 7)

PAYOFFS = (
    Payoffs("deterministic", _beta(2, 5), _same, 2 / 7),
    Payoffs("stochastic", _beta(2, 5), _noisy, 2 / 7),
    SKEWED,
    Payoffs("0 in most matches", _beta(2, 5), _mostly_zero, 2 / 7),
    Payoffs("quotient of each match", _always(1.25), _quotients, 1.25),
    Payoffs("near 0", lambda rng, shape: rng.normal(0.001, 0.01, shape), _near_zero, 0.001),
    Payoffs("yes in 2%", _always(0.02), _yes, 0.02),
    Payoffs("yes in 50%", _always(0.5), _yes, 0.5),
    Payoffs("yes in 98%", _always(0.98), _yes, 0.98),
    Payoffs("yes, more in some settings", _beta(2, 5), _yes, 2 / 7),
    Payoffs("wins, ties count half", lambda rng, shape: 0.1 + 0.8 * rng.beta(5, 2, shape), _wins, 0.1 + 0.8 * 5 / 7),
)

Shape = tuple[int, int, int]
"""Draws, settings, seeds."""


def drawn(payoffs: Payoffs, rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Payoffs, shape (draws, settings, seeds), and the mean that their intervals should hold."""
    draws, settings, seeds = shape
    if over == "settings":
        return payoffs.sample(rng, payoffs.setting(rng, (draws, settings)), seeds), payoffs.mean
    fixed = payoffs.setting(rng, (settings,))
    return payoffs.sample(rng, np.tile(fixed, (draws, 1)), seeds), float(fixed.mean())


def nothing() -> tuple[np.ndarray, float]:
    """No interval: what is not estimated of this population."""
    return np.full((1, 2), np.nan), 0.0


def table_of(**columns: np.ndarray) -> Columns:
    """Values of shape (draws, settings, seeds) as a table with columns ``draw``, ``market`` and ``cluster``."""
    shape = next(iter(columns.values())).shape
    places = (np.broadcast_to(part, shape).ravel() for part in np.indices(shape))
    names = zip(("draw", "market", "cluster"), places, strict=True)
    return Columns({**dict(names), **{name: values.ravel() for name, values in columns.items()}})
