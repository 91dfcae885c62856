"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("survival_auction", players, **SETTINGS["long"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "duel": {"players": 2},
    "three": {"players": 3},
    "long": {"days": 20},
    "short": {"days": 4},
    "health": {"reward": "health"},
    "days": {"reward": "days"},
}
"""Named settings; ``default`` is game SAG."""

VALIDATION: tuple[SettingParams, ...] = grid(days=(8, 14), start_health=(6, 9), reward=("days",))
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of days."""

TEST: tuple[SettingParams, ...] = grid(days=(8, 14), start_health=(3, 4, 5, 7, 8, 10), reward=("days",))
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_DAYS = tuple(days for days in range(4, 17) if days not in (8, 14))


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """4 to 16 days, 5 to 10 initial health points; the reward counts days lived."""
    return {"days": int(rng.choice(TRAIN_DAYS)), "start_health": int(rng.integers(5, 11)), "reward": "days"}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
