"""Named settings, distributions of settings, and held-out sets."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "no-points": {"punishment": False},
    "linear": {"cost": "linear"},
    "pair": {"players": 2, "mpcr": 0.7},
}
"""Named settings; ``default`` and ``no-points`` are the two treatments of Fehr and Gächter (2000)."""

VALIDATION: tuple[SettingParams, ...] = grid(punishment=(False,), mpcr=(0.35, 0.4, 0.5), rounds=(7, 10))
"""Validation settings: numbers of rounds that ``sample("train", rng)`` never draws."""

TEST: tuple[SettingParams, ...] = grid(punishment=(False,), mpcr=(0.31, 0.34, 0.43, 0.47, 0.53, 0.59), rounds=(7, 10))
"""Test settings, sampled once and frozen; never used for training or selection."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Returns uniform in [0.3, 0.6], 5 to 12 rounds, no points."""
    return {"punishment": False, "mpcr": float(rng.uniform(0.3, 0.6)), "rounds": int(rng.choice((5, 6, 8, 9, 11, 12)))}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
