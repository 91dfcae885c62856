"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("bargaining", players, **SETTINGS["ultimatum"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "ultimatum": {"horizon": 1},
    "two-rounds": {"horizon": 2},
    "odd-rounds": {"horizon": 11},
    "impatient": {"delta": (0.7, 0.7)},
    "patient-first": {"delta": (0.95, 0.8)},
    "patient-second": {"delta": (0.8, 0.95)},
    "no-discounting": {"delta": (1.0, 1.0)},
    "unknown-horizon": {"horizon": None},
    "private-deltas": {"delta": (0.9, 0.8), "complete_information": False},
    "in-the-dark": {"delta": (0.9, 0.8), "complete_information": False, "horizon": None},
    "silent": {"messages": False},
    "small-money": {"money": 100.0},
    "large-money": {"money": 1_000_000.0},
    "cheap-talk": {"money": 100.0, "delta": (0.8, 0.8), "horizon": 2},  # where the messages of `sender` matter most
}

HELD_OUT_HORIZONS = (5, 8, 15, 20)
VALIDATION: tuple[SettingParams, ...] = (
    {"delta": (1.0, 1.0), "horizon": 5},
    {"delta": (0.6, 0.6), "horizon": 5},
    {"delta": (0.8, 0.95), "horizon": 5, "complete_information": False},
    {"delta": (1.0, 0.9), "horizon": 8},
    {"delta": (0.9, 1.0), "horizon": 8},
    {"delta": (0.9, 0.6), "horizon": 8, "complete_information": False},
    {"delta": (0.9, 0.9), "horizon": 15},
    {"delta": (0.7, 0.9), "horizon": 15},
    {"delta": (0.95, 0.85), "horizon": 20},
    {"delta": (0.85, 0.95), "horizon": 20, "complete_information": False},
    {"delta": (1.0, 0.9), "horizon": None},
    {"delta": (0.95, 1.0), "horizon": None, "complete_information": False},
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these horizons and discount factors of
exactly 1; ``"wide"`` draws factors of 1, but never with 0.9 or 0.95; ``"plain"`` rejects held-out settings."""

TEST: tuple[SettingParams, ...] = (
    {"delta": (0.76, 0.98), "horizon": 5},
    {"delta": (0.93, 0.71), "horizon": 5, "complete_information": False},
    {"delta": (0.54, 0.87), "horizon": 5},
    {"delta": (0.84, 0.84), "horizon": 8},
    {"delta": (0.97, 0.66), "horizon": 8, "complete_information": False},
    {"delta": (0.79, 0.92), "horizon": 8},
    {"delta": (0.96, 0.99), "horizon": 15},
    {"delta": (0.88, 0.63), "horizon": 15, "complete_information": False},
    {"delta": (0.91, 0.97), "horizon": 20},
    {"delta": (0.99, 0.82), "horizon": 20, "complete_information": False},
    {"delta": (0.86, 0.94), "horizon": None},
    {"delta": (0.98, 0.89), "horizon": None, "complete_information": False},
)
"""Test settings, sampled once and frozen; never used for training or selection."""

# With `complete_information` written out, as in the settings that `_sample_plain` compares with them.
HELD_OUT_SETTINGS = [{"complete_information": True, **setting} for setting in (*VALIDATION, *TEST)]

GLEE_DELTAS = (0.8, 0.9, 0.95, 1.0)
GLEE: tuple[SettingParams, ...] = grid(
    delta=tuple((first, second) for first in GLEE_DELTAS for second in GLEE_DELTAS),
    money=(100.0, 10_000.0, 1_000_000.0),
    horizon=(12, None),
    complete_information=(True, False),
    messages=(True, False),
)
"""The 384 bargaining settings of GLEE (arXiv:2410.05254): the full grid of its parameter values."""

TRAIN_DELTAS = (0.5, 1.0)
TRAIN_HORIZONS = tuple(t for t in range(1, 25) if t not in HELD_OUT_HORIZONS)
UNKNOWN_HORIZON_SHARE = 0.15
"""Share of training settings with an unknown horizon."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Discount factors uniform in [0.5, 1), 1 to 24 rounds or an unknown number, information complete or not."""
    first, second = rng.uniform(*TRAIN_DELTAS, size=2)
    # The smaller of two draws: short horizons, where the end is near from the start, come up more often.
    horizon = TRAIN_HORIZONS[int(rng.integers(len(TRAIN_HORIZONS), size=2).min())]
    return {
        "delta": (float(first), float(second)),
        "horizon": None if rng.random() < UNKNOWN_HORIZON_SHARE else horizon,
        "complete_information": bool(rng.integers(2)),
    }


PATIENT_SHARE = 0.2
"""Share of players without discounting."""


def _sample_wide(rng: np.random.Generator) -> SettingParams:
    """Half as `_sample_train`; in the other half most players are patient and horizons are uniform."""
    if rng.random() < 0.5:
        return _sample_train(rng)
    # The square makes small impatience likelier than great impatience.
    impatience = np.where(rng.random(2) < PATIENT_SHARE, 0.0, 0.5 * rng.random(2) ** 2)
    first, second = 1 - impatience
    return {
        "delta": (float(first), float(second)),
        "horizon": None if rng.random() < 0.2 else int(rng.choice(TRAIN_HORIZONS)),
        "complete_information": bool(rng.random() < 0.6),
    }


def _sample_plain(rng: np.random.Generator) -> SettingParams:
    """As `_sample_wide`, with discount factors of two digits for language models: 0.85, not 0.8491704632."""
    setting = _sample_wide(rng)
    setting["delta"] = tuple(round(delta, 2) for delta in setting["delta"])
    # Rounding can produce a held-out setting.
    return _sample_plain(rng) if setting in HELD_OUT_SETTINGS else setting


SHORT_HORIZONS = tuple(t for t in TRAIN_HORIZONS if t <= 7)


def _sample_short(rng: np.random.Generator) -> SettingParams:
    """As `_sample_plain`, with horizons uniform from 1 to 7, so that many matches reach the last round."""
    return {**_sample_plain(rng), "horizon": int(rng.choice(SHORT_HORIZONS))}


FULL_INFORMATION_HORIZONS = tuple(t for t in TRAIN_HORIZONS if t <= 10)
FULL_INFORMATION_GRID: tuple[SettingParams, ...] = grid(
    delta=((0.9, 0.9), (0.6, 0.9), (0.9, 0.6), (0.7, 0.7)),
    horizon=(1, 2, 3, 4, 5, 6, 8),
)
"""Full-information settings, small enough to compute exploitability in each; no training distribution draws those with
the horizons 5 and 8."""


def _sample_full_information(rng: np.random.Generator) -> SettingParams:
    """Discount factors uniform in [0.5, 1), horizons uniform from 1 to 10, complete information."""
    first, second = rng.uniform(*TRAIN_DELTAS, size=2)
    return {"delta": (float(first), float(second)), "horizon": int(rng.choice(FULL_INFORMATION_HORIZONS))}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "wide": _sample_wide,
    "plain": _sample_plain,
    "short": _sample_short,
    "told": _sample_full_information,
    "told-grid": uniform_over(FULL_INFORMATION_GRID),
    "glee": uniform_over(GLEE),
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
