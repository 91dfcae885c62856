"""Named settings of code reading, and distributions that exclude held-out programs from training."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, uniform_over
from econzoo.envs.games.code_reading.items import items, set_members

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "training": {"items": "training"},
    "held-out": {"items": "held-out"},
    "generated": {"items": "generated"},
    "words": {"answers": "words"},
    "stripped": {"variant": "stripped"},
    "masked": {"variant": "masked"},
    "obfuscated": {"variant": "obfuscated"},
}

VALIDATION: tuple[SettingParams, ...] = tuple({"item": items()[number].name} for number in set_members("held-out")[::2])
"""Validation programs; ``sample("train", rng)`` never draws one."""

TEST: tuple[SettingParams, ...] = tuple({"item": items()[number].name} for number in set_members("held-out")[1::2])
"""Test programs; never used for training or selection."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """One program of the training set by name, so that parameters have the same shape in all matches."""
    return {"item": items()[int(rng.choice(set_members("training")))].name}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
