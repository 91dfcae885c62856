"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("program_matrix", players, **SETTINGS["dyadic"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, uniform_over
from econzoo.envs.games.matrix.tables import TABLES

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "once": {"rounds": 1},
    "dyadic": {"rounds": 10, "turns": 10},
    "tournament": {"rounds": 5, "turns": 20},
    "similarity": {"rounds": 1, "turns": 20},
    "evolution": {"rounds": 5, "turns": 50},
    "noisy": {"noise": 0.05, "turns": 50},
    **{name: {"stage_game": name} for name in TABLES if name != "prisoners-dilemma"},
    "as-published": {"on_wrong_return": "D", "on_exception": "random"},
}
"""Named settings. `dyadic`, `similarity` and `evolution` have the lengths of Sistla and Kleiman-Weiner (2025),
`tournament` that of evolution in their public code; under `as-published` failures become moves as there."""

HELD_OUT_TURNS = (7, 20)
VALIDATION: tuple[SettingParams, ...] = (
    *[{"stage_game": name, "rounds": 2, "turns": 7} for name in TABLES],
    {"rounds": 1, "turns": 20},
    {"rounds": 1, "turns": 20, "noise": 0.02},
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of turns."""

TEST: tuple[SettingParams, ...] = (
    *[{"stage_game": name, "rounds": 3, "turns": 7} for name in TABLES],
    *[{"stage_game": name, "rounds": 1, "turns": 20} for name in TABLES if name != "prisoners-dilemma"],
    {"rounds": 2, "turns": 20},
    {"rounds": 1, "turns": 7, "noise": 0.04},
    {"rounds": 1, "turns": 20, "noise": 0.06},
)
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_TURNS = tuple(turns for turns in range(1, 26) if turns not in HELD_OUT_TURNS)


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """A named game, 1 to 3 meta-rounds of 1 to 25 turns (the fewer, the likelier)."""
    game = list(TABLES)[int(rng.integers(len(TABLES)))]
    # The smaller of two draws.
    turns = TRAIN_TURNS[int(rng.integers(len(TRAIN_TURNS), size=2).min())]
    return {"stage_game": game, "rounds": int(rng.integers(1, 4)), "turns": turns}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
