"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("persuasion", players, **SETTINGS["binary"])``.

Learners that read numbers, not words, find nothing to say in settings with ``message_type="text"``: train and compare
them where the seller recommends (``binary``). All of ``train``, ``validation`` and ``test`` is like that.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

_BINARY: SettingParams = {"message_type": "binary"}

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "binary": _BINARY,
    "one-round": {"rounds": 1, **_BINARY},
    "unknown-horizon": {"rounds": None, **_BINARY},
    "myopic": {"buyer": "myopic", **_BINARY},
    "myopic-words": {"buyer": "myopic"},
    "trusting-prior": {"prior": 0.8, **_BINARY},
    "sceptical-prior": {"prior": 1 / 3, "high_value": 2.0, **_BINARY},
    "valuable": {"high_value": 3.0, **_BINARY},
    "worth-something": {"low_value": 0.5, **_BINARY},
    "private-values": {"seller_knows_value": False, **_BINARY},
    "unknown-prior": {"buyer_knows_prior": False, **_BINARY},
    "talking-buyer": {"buyer_messages": True},
    "silent": {"messages": False},
    "small-money": {"price": 100.0, **_BINARY},
    "large-money": {"price": 1_000_000.0, **_BINARY},
}

HELD_OUT_ROUNDS = (5, 12, 30)
VALIDATION: tuple[SettingParams, ...] = tuple(
    {**setting, **_BINARY}
    for setting in (
        {"prior": 0.5, "high_value": 1.25, "rounds": 5},
        {"prior": 0.5, "high_value": 3.0, "rounds": 5, "buyer": "myopic"},
        {"prior": 0.8, "high_value": 1.2, "rounds": 5},
        {"prior": 1 / 3, "high_value": 2.0, "rounds": 12},
        {"prior": 1 / 3, "high_value": 4.0, "rounds": 12, "buyer": "myopic"},
        {"prior": 0.5, "high_value": 2.0, "rounds": 12, "seller_knows_value": False},
        {"prior": 0.5, "high_value": 1.25, "rounds": 30},
        {"prior": 0.4, "high_value": 1.8, "rounds": 30, "buyer": "myopic"},
    )
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of rounds."""

TEST: tuple[SettingParams, ...] = tuple(
    {**setting, **_BINARY}
    for setting in (
        {"prior": 0.43, "high_value": 1.73, "rounds": 5},
        {"prior": 0.64, "high_value": 1.4, "rounds": 5, "buyer": "myopic"},
        {"prior": 0.26, "high_value": 3.2, "rounds": 5, "seller_knows_value": False},
        {"prior": 0.73, "high_value": 1.25, "rounds": 5, "buyer": "myopic"},
        {"prior": 0.52, "high_value": 1.54, "rounds": 12},
        {"prior": 0.34, "high_value": 2.6, "rounds": 12, "buyer": "myopic"},
        {"prior": 0.85, "high_value": 1.13, "rounds": 12},
        {"prior": 0.41, "high_value": 2.92, "rounds": 12, "seller_knows_value": False},
        {"prior": 0.24, "high_value": 3.7, "rounds": 30},
        {"prior": 0.59, "high_value": 1.34, "rounds": 30, "buyer": "myopic"},
        {"prior": 0.47, "high_value": 2.2, "rounds": 30},
        {"prior": 0.67, "high_value": 1.9, "rounds": 30, "buyer": "myopic", "seller_knows_value": False},
    )
)
"""Test settings, sampled once and frozen; never used for training or selection."""

GLEE_PRIORS = (1 / 3, 0.5, 0.8)
GLEE: tuple[SettingParams, ...] = grid(
    prior=GLEE_PRIORS,
    high_value=(1.2, 1.25, 2.0, 3.0, 4.0),
    price=(100.0, 10_000.0, 1_000_000.0),
    seller_knows_value=(True, False),
    message_type=("text", "binary"),
    buyer=("long-living", "myopic"),
)
"""The 360 persuasion settings of GLEE (arXiv:2410.05254): the full grid of its parameter values; 20 rounds each."""

TRAIN_ROUNDS = tuple(t for t in range(1, 25) if t not in HELD_OUT_ROUNDS)


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Priors uniform in [0.2, 0.9], high quality worth 1.1 to 4 prices, 1 to 24 rounds, either kind of buyer."""
    return {
        "prior": float(rng.uniform(0.2, 0.9)),
        "high_value": float(rng.uniform(1.1, 4.0)),
        "rounds": int(rng.choice(TRAIN_ROUNDS)),
        "seller_knows_value": bool(rng.integers(2)),
        "buyer": ("long-living", "myopic")[int(rng.integers(2))],
        **_BINARY,
    }


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "glee": uniform_over(GLEE),
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
