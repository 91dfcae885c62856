"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("guess_average", players, **SETTINGS["half"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "half": {"factor": 0.5},
    "two-thirds": {"factor": 2 / 3},
    "duel": {"players": 2},
    "short": {"rounds": 3},
    "deadly": {"health": 3},
    "wide": {"high": 1000},
}
"""Named settings; ``default`` is game G08A."""

VALIDATION: tuple[SettingParams, ...] = grid(factor=(0.6, 0.7, 0.9), rounds=(6, 12))
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of rounds."""

TEST: tuple[SettingParams, ...] = grid(factor=(0.53, 0.64, 0.74, 0.79, 0.85, 0.93), rounds=(6, 12))
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_ROUNDS = tuple(rounds for rounds in range(4, 16) if rounds not in (6, 12))


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Factors uniform in [0.5, 0.95], 4 to 15 rounds, 8 to 20 initial health points."""
    rounds, health = int(rng.choice(TRAIN_ROUNDS)), int(rng.integers(8, 21))
    return {"factor": float(rng.uniform(0.5, 0.95)), "rounds": rounds, "health": health}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
