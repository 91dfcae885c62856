"""Settings of code reading: named ones, and distributions that keep the held-out programs out of training."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract.scenarios import Distribution, SettingParams, uniform_over
from econzoo.envs.games.code_reading.items import items, set_members

MARKETS: dict[str, SettingParams] = {
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
"""Programs to choose by; ``sample("train", rng)`` never draws one."""

TEST: tuple[SettingParams, ...] = tuple({"item": items()[number].name} for number in set_members("held-out")[1::2])
"""Programs of the last test, which training never draws either: nothing is chosen by them."""


def _sample_train(rng: np.random.Generator) -> SettingParams:
    """One program of the training set, by name, so that every match has the same shape of parameters."""
    return {"item": items()[int(rng.choice(set_members("training")))].name}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _sample_train,
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
