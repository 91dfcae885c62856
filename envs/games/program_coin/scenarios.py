"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("program_coin", players, **SETTINGS["dyadic"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "once": {"rounds": 1},
    "dyadic": {"rounds": 10, "turns": 10},
    "long": {"rounds": 1, "turns": 50},
    "wide": {"size": 5, "turns": 30},
}
"""Named settings; `dyadic` has the lengths of Sistla and Kleiman-Weiner (2025)."""

HELD_OUT_TURNS = (8, 16)
VALIDATION: tuple[SettingParams, ...] = grid(size=(3, 4), rounds=(1, 2), turns=HELD_OUT_TURNS)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of turns."""

TEST: tuple[SettingParams, ...] = (
    *grid(size=(2,), rounds=(1, 2, 3), turns=HELD_OUT_TURNS),
    *grid(size=(3, 4), rounds=(3,), turns=HELD_OUT_TURNS),
    *grid(size=(5,), rounds=(1,), turns=HELD_OUT_TURNS),
)
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_SIZES = (2, 3, 3, 4)
TRAIN_TURNS = tuple(turns for turns in range(4, 21) if turns not in HELD_OUT_TURNS)


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Boards of 2 x 2 to 4 x 4, half of them 3 x 3; 1 to 3 meta-rounds of 4 to 20 turns."""
    size, turns = int(rng.choice(TRAIN_SIZES)), int(rng.choice(TRAIN_TURNS))
    return {"size": size, "rounds": int(rng.integers(1, 4)), "turns": turns}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
