"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("coin_game", players, **SETTINGS["long"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "one-step": {"rounds": 1},
    "short": {"rounds": 5},
    "long": {"rounds": 50},
    "hidden-end": {"rounds": 20, "known": False},
    "silent": {"messages": False},
    "tiny": {"size": 2},
    "wide": {"size": 5, "rounds": 30},
}
"""Named settings; ``default`` is that of the open-source games, ``wide`` has the board of Lerer and Peysakhovich."""

HELD_OUT_ROUNDS = (8, 16)
VALIDATION: tuple[SettingParams, ...] = grid(size=(3, 4, 5), rounds=HELD_OUT_ROUNDS, known=(True, False))
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of rounds."""

TEST: tuple[SettingParams, ...] = (
    *grid(size=(2,), rounds=HELD_OUT_ROUNDS, known=(True, False)),
    *grid(size=(3, 4), rounds=(22, 26), known=(True, False)),
)
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_SIZES = (2, 3, 3, 3, 4, 5)
TRAIN_ROUNDS = tuple(rounds for rounds in range(4, 21) if rounds not in HELD_OUT_ROUNDS)
HIDDEN_SHARE = 0.25
"""Share of training settings with a hidden number of rounds."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Boards of 2 x 2 to 5 x 5, half of them 3 x 3; 4 to 20 rounds, their number known or hidden."""
    size, rounds = int(rng.choice(TRAIN_SIZES)), int(rng.choice(TRAIN_ROUNDS))
    return {"size": size, "rounds": rounds, "known": bool(rng.random() >= HIDDEN_SHARE)}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
