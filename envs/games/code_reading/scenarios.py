"""Settings of code reading: named ones, and distributions that keep the held-out programs out of training."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract.scenarios import Distribution, Market, any_of
from econzoo.envs.games.code_reading.items import items, members

MARKETS: dict[str, Market] = {
    "default": {},
    "training": {"items": "training"},
    "held-out": {"items": "held-out"},
    "generated": {"items": "generated"},
    "words": {"answers": "words"},
    "stripped": {"variant": "stripped"},
    "masked": {"variant": "masked"},
    "obfuscated": {"variant": "obfuscated"},
}

VALIDATION: tuple[Market, ...] = tuple({"item": items()[number].name} for number in members("held-out")[::2])
"""Programs to choose by; ``sample("train", rng)`` never draws one."""

TEST: tuple[Market, ...] = tuple({"item": items()[number].name} for number in members("held-out")[1::2])
"""Programs of the last test, which training never draws either: nothing is chosen by them."""


def _train(rng: np.random.Generator) -> Market:
    """One program of the training set, by name, so that every match has the same shape of parameters."""
    return {"item": items()[int(rng.choice(members("training")))].name}


DISTRIBUTIONS: dict[str, Distribution] = {
    "train": _train,
    "validation": any_of(VALIDATION),
    "test": any_of(TEST),
}
