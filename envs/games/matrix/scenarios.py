"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("matrix", players, **SETTINGS["chicken"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, uniform_over
from econzoo.envs.games.matrix.tables import TABLES

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    **{name: {"stage_game": name} for name in TABLES if name != "prisoners-dilemma"},
    "once": {"rounds": 1},
    "long": {"rounds": 200},
    "hidden-rounds": {"known": False},
    "probable-end": {"prob_end": 0.1, "rounds": 200},
    "noisy": {"noise": 0.05},
    "noisy-hidden": {"noise": 0.05, "known": False, "rounds": 50},
    "silent": {"messages": False},
    "mild-dilemma": {"payoffs": (((4.0, 4.0), (1.0, 5.0)), ((5.0, 1.0), (2.0, 2.0)))},
    "asymmetric-dilemma": {"payoffs": (((3.0, 6.0), (0.0, 8.0)), ((5.0, 0.0), (1.0, 2.0)))},
}
"""Named settings: the prisoner's dilemma of Axelrod's tournaments, variants of it, and the other named games. The mild
dilemma has a smaller temptation payoff, and the asymmetric one higher payoffs of the column seat."""

HELD_OUT_ROUNDS = (6, 12, 30)
VALIDATION: tuple[SettingParams, ...] = (
    *[{"stage_game": name, "rounds": 12} for name in TABLES],
    *[{"stage_game": name, "rounds": 30, "known": False} for name in TABLES],
    {"rounds": 30, "noise": 0.1},
    {"rounds": 12, "noise": 0.02, "known": False},
    {"rounds": 6, **SETTINGS["mild-dilemma"]},
    {"rounds": 6, **SETTINGS["asymmetric-dilemma"]},
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of rounds."""

TEST: tuple[SettingParams, ...] = (
    *[{"stage_game": name, "rounds": 6} for name in TABLES],
    *[{"stage_game": name, "rounds": 12, "noise": 0.04} for name in ("prisoners-dilemma", "stag-hunt", "chicken")],
    {"rounds": 30, "noise": 0.07, "known": False},
    {"rounds": 12, "payoffs": (((7.3, 7.3), (0.4, 9.6)), ((9.6, 0.4), (2.4, 2.4)))},
    {"rounds": 30, "payoffs": (((5.2, 6.4), (0.7, 7.9)), ((8.5, 0.1), (1.3, 2.6)))},
    {"rounds": 6, "payoffs": (((9.3, 9.3), (0.8, 5.3)), ((5.3, 0.8), (4.3, 4.3))), "known": False},
)
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_ROUNDS = tuple(rounds for rounds in range(1, 41) if rounds not in HELD_OUT_ROUNDS)
NOISY_SHARE, HIDDEN_SHARE = 0.25, 0.25
"""Shares of training settings with noise, and with a hidden number of rounds."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """A named game, 1 to 40 rounds (the fewer, the likelier), sometimes hidden, sometimes with noise of up to 10%."""
    game = list(TABLES)[int(rng.integers(len(TABLES)))]
    # The smaller of two draws: in short matches the end is near from the start.
    rounds = TRAIN_ROUNDS[int(rng.integers(len(TRAIN_ROUNDS), size=2).min())]
    noise = float(rng.uniform(0.0, 0.1)) if rng.random() < NOISY_SHARE else 0.0
    return {"stage_game": game, "rounds": rounds, "known": bool(rng.random() >= HIDDEN_SHARE), "noise": noise}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
