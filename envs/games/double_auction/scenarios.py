"""Named settings of the double auction, distributions of settings, and held-out sets."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "no-talk": {"talk": 0},
    "long-talk": {"talk": 3},
    "numbers-only": {"messages": False},
    "seller-names-price": {"k": 0.0, "talk": 0},
    "buyer-names-price": {"k": 1.0, "talk": 0},
    "four-a-side": {"buyers": 4, "sellers": 4},
    "few-sellers": {"buyers": 4, "sellers": 2},
}
"""Named settings; ``default`` is a pair that talks once."""

VALIDATION: tuple[SettingParams, ...] = grid(k=(0.3, 0.5, 0.7), talk=(0, 1))
"""Validation settings. ``sample("train", rng)`` draws none of these weights."""

TEST: tuple[SettingParams, ...] = grid(k=(0.23, 0.27, 0.47, 0.53, 0.67, 0.87), talk=(0, 1))
"""Test settings, sampled once and frozen; never used for training or selection."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Pairs with and without talk; weights exclude the neighbourhoods of 0.3, 0.5 and 0.7."""
    # Intervals of width 0.1 that contain no weight of validation or test.
    low = float(rng.choice((0.0, 0.1, 0.35, 0.55, 0.75, 0.9)))
    return {"k": low + float(rng.uniform(0.0, 0.1)), "talk": int(rng.integers(2))}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
