"""Named settings of the contract, and distributions of them."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams

SETTINGS: dict[str, SettingParams] = {"default": {}, "hard": {"cost": 3.0}}


def _train(rng: np.random.Generator) -> SettingParams:
    """From easy to hard work."""
    return {"cost": float(rng.uniform(1.0, 3.0))}


DISTRIBUTIONS: dict[str, Distribution] = {"train": _train}
