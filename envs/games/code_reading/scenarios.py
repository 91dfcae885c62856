"""Settings of code reading: named ones, and distributions that keep the held-out programs out of training."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract.scenarios import Distribution, Market
from econzoo.envs.games.code_reading.items import items, members

MARKETS: dict[str, Market] = {
    "default": {},
    "training": {"items": "training"},
    "held-out": {"items": "held-out"},
    "words": {"answers": "words"},
    "stripped": {"variant": "stripped"},
    "masked": {"variant": "masked"},
    "obfuscated": {"variant": "obfuscated"},
}

HELD_OUT: tuple[Market, ...] = tuple({"item": items()[number].name} for number in members("held-out"))
"""Programs that ``sample("train", rng)`` never draws."""


def _one_of(chosen: str) -> Distribution:
    def one(rng: np.random.Generator) -> Market:
        """One program of a set, by name, so that every match has the same shape of parameters."""
        return {"item": items()[int(rng.choice(members(chosen)))].name}

    return one


DISTRIBUTIONS: dict[str, Distribution] = {"train": _one_of("training"), "test": _one_of("held-out")}
