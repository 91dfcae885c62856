"""Named settings, distributions of settings, and held-out sets.

A setting is a dictionary of public parameters; omitted ones have their defaults. Example:
``econzoo.play("water_allocation", players, **SETTINGS["scarce"])``.
"""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, grid, uniform_over

SUPPLIES = ((10, 20), (15, 25), (20, 30))
"""The three ranges of supply of the paper."""

ALYMPICS: tuple[SettingParams, ...] = grid(persona=(False, True), supply=SUPPLIES)
"""The six settings of the paper, in the order of its Table 2."""

EQUAL_RESIDENTS = tuple((name, 10, 100.0) for name in ("Alex", "Bob", "Cindy", "David", "Eric"))

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "scarce": {"supply": (10, 20)},
    "medium": {"supply": (15, 25)},
    "plenty": {"supply": (20, 30)},
    "scarce-persona": {"supply": (10, 20), "persona": True},
    "medium-persona": {"supply": (15, 25), "persona": True},
    "plenty-persona": {"supply": (20, 30), "persona": True},
    "equals": {"residents": EQUAL_RESIDENTS},
    "short": {"days": 6},
    "health": {"reward": "health"},
    "days": {"reward": "days"},
}

HELD_OUT_DAYS = (8, 15)
VALIDATION: tuple[SettingParams, ...] = tuple(
    {"supply": supply, "days": days, "reward": "days"}
    for days in HELD_OUT_DAYS
    for supply in ((8, 16), (12, 28), (18, 24))
)
"""Validation settings. ``sample("train", rng)`` never draws one: it excludes these numbers of days."""

TEST: tuple[SettingParams, ...] = tuple(
    {"supply": supply, "days": days, "reward": "days"}
    for days in HELD_OUT_DAYS
    for supply in ((9, 15), (10, 22), (13, 19), (14, 25), (17, 29), (20, 28))
)
"""Test settings, sampled once and frozen; never used for training or selection."""

TRAIN_DAYS = tuple(days for days in range(4, 21) if days not in HELD_OUT_DAYS)


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """Supplies around 8 to 30 units, 4 to 20 days; the reward counts days lived, which every day teaches something."""
    low = int(rng.integers(8, 21))
    return {
        "supply": (low, low + int(rng.integers(5, 13))),
        "days": int(rng.choice(TRAIN_DAYS)),
        "reward": "days",
    }


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "alympics": uniform_over(ALYMPICS),
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""Distributions over settings; a name of `SETTINGS` is a point mass on that setting."""
