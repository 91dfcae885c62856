"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("negotiation", players, **SETTINGS["take-it-or-leave-it"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "take-it-or-leave-it": {"horizon": 1},
    "two-rounds": {"horizon": 2},
    "odd-rounds": {"horizon": 9},
    "wide-zone": {"seller_value": 0.8, "buyer_value": 1.5},
    "equal-values": {"seller_value": 1.0, "buyer_value": 1.0},
    "no-zone": {"seller_value": 1.2, "buyer_value": 1.0},
    "unknown-horizon": {"horizon": None},
    "private-values": {"complete_information": False},
    "in-the-dark": {"complete_information": False, "horizon": None},
    "no-outside-option": {"outside_option": False},
    "silent": {"messages": False},
    "small-money": {"money": 100.0},
    "large-money": {"money": 1_000_000.0},
}

HELD_OUT_HORIZONS = (4, 7, 12)
VALIDATION: tuple[SettingParams, ...] = (
    {"seller_value": 0.8, "buyer_value": 1.5, "horizon": 4},
    {"seller_value": 0.5, "buyer_value": 1.5, "horizon": 4, "complete_information": False},
    {"seller_value": 1.2, "buyer_value": 1.0, "horizon": 4, "complete_information": False},
    {"seller_value": 1.0, "buyer_value": 1.2, "horizon": 7},
    {"seller_value": 0.9, "buyer_value": 1.0, "horizon": 7, "complete_information": False},
    {"seller_value": 1.5, "buyer_value": 0.8, "horizon": 7},
    {"seller_value": 0.8, "buyer_value": 1.2, "horizon": 12},
    {"seller_value": 1.0, "buyer_value": 1.5, "horizon": 12, "complete_information": False},
    {"seller_value": 1.0, "buyer_value": 1.2, "horizon": None},
    {"seller_value": 0.8, "buyer_value": 1.0, "horizon": None, "complete_information": False},
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these horizons and draws values from a
continuum; ``"plain"`` rejects held-out settings."""

TEST: tuple[SettingParams, ...] = (
    {"seller_value": 0.74, "buyer_value": 1.26, "horizon": 4},
    {"seller_value": 0.63, "buyer_value": 0.91, "horizon": 4, "complete_information": False},
    {"seller_value": 1.09, "buyer_value": 1.43, "horizon": 4},
    {"seller_value": 0.53, "buyer_value": 1.17, "horizon": 7},
    {"seller_value": 0.81, "buyer_value": 1.04, "horizon": 7, "complete_information": False},
    {"seller_value": 1.24, "buyer_value": 1.11, "horizon": 7, "complete_information": False},
    {"seller_value": 0.97, "buyer_value": 1.39, "horizon": 7},
    {"seller_value": 0.69, "buyer_value": 0.86, "horizon": 12},
    {"seller_value": 0.92, "buyer_value": 1.48, "horizon": 12, "complete_information": False},
    {"seller_value": 1.31, "buyer_value": 0.77, "horizon": 12},
    {"seller_value": 0.84, "buyer_value": 1.29, "horizon": None},
    {"seller_value": 0.58, "buyer_value": 1.07, "horizon": None, "complete_information": False},
)
"""Test settings, sampled once and frozen; never used for training or selection."""

# With `complete_information` written out, as in the settings that `_sample_plain` compares with them.
HELD_OUT_SETTINGS = [{"complete_information": True, **setting} for setting in (*VALIDATION, *TEST)]

GLEE_FACTORS = (0.8, 1.0, 1.2, 1.5)
GLEE: tuple[SettingParams, ...] = grid(
    seller_value=GLEE_FACTORS,
    buyer_value=GLEE_FACTORS,
    money=(100.0, 10_000.0, 1_000_000.0),
    horizon=(1, 10, None),
    complete_information=(True, False),
    messages=(True, False),
)
"""The 576 negotiation settings of GLEE (arXiv:2410.05254): the full grid of its parameter values."""

TRAIN_VALUES = (0.5, 1.5)
TRAIN_HORIZONS = tuple(t for t in range(1, 13) if t not in HELD_OUT_HORIZONS)
UNKNOWN_HORIZON_SHARE = 0.15
"""Share of training settings with an unknown horizon."""

NO_ZONE_SHARE = 0.2
"""Share of the training settings in which every trade is a loss to some seat."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Values uniform in [0.5, 1.5], mostly with a zone of agreement; 1 to 11 rounds or an unknown number."""
    low, high = sorted(float(x) for x in rng.uniform(*TRAIN_VALUES, size=2))
    seller, buyer = (high, low) if rng.random() < NO_ZONE_SHARE else (low, high)
    horizon = TRAIN_HORIZONS[int(rng.integers(len(TRAIN_HORIZONS)))]
    return {
        "seller_value": seller,
        "buyer_value": buyer,
        "horizon": None if rng.random() < UNKNOWN_HORIZON_SHARE else horizon,
        "complete_information": bool(rng.integers(2)),
    }


def _sample_plain(rng: np.random.Generator) -> SettingParams:
    """As `_sample_train`, with values in whole hundredths of the price scale: $8,400 and not $8,372.96."""
    setting = _sample_train(rng)
    setting |= {name: round(setting[name], 2) for name in ("seller_value", "buyer_value")}
    # Rounding can produce a held-out setting.
    return _sample_plain(rng) if setting in HELD_OUT_SETTINGS else setting


SHORT_HORIZONS = tuple(t for t in TRAIN_HORIZONS if t <= 6)


def _sample_short(rng: np.random.Generator) -> SettingParams:
    """As `_sample_plain`, with 1 to 6 rounds, equally likely: many matches reach their last round."""
    return {**_sample_plain(rng), "horizon": int(rng.choice(SHORT_HORIZONS))}


FULL_INFORMATION_HORIZONS = tuple(t for t in TRAIN_HORIZONS if t <= 9)
FULL_INFORMATION_GRID: tuple[SettingParams, ...] = tuple(
    {"seller_value": seller, "buyer_value": buyer, "horizon": horizon}
    for seller, buyer in ((0.8, 1.5), (0.5, 1.0), (0.9, 1.1), (1.0, 1.2))
    for horizon in (1, 2, 3, 4, 5, 7, 8)
)
"""Full-information settings, small enough to compute exploitability in each; no training distribution draws those with
the horizons 4 and 7."""


def _sample_full_information(rng: np.random.Generator) -> SettingParams:
    """Values uniform in [0.5, 1.5] with a zone of agreement, 1 to 9 rounds, equally likely; full information."""
    low, high = sorted(float(x) for x in rng.uniform(*TRAIN_VALUES, size=2))
    return {"seller_value": low, "buyer_value": high, "horizon": int(rng.choice(FULL_INFORMATION_HORIZONS))}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "plain": _sample_plain,
    "short": _sample_short,
    "told": _sample_full_information,
    "told-grid": uniform_over(FULL_INFORMATION_GRID),
    "glee": uniform_over(GLEE),
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
