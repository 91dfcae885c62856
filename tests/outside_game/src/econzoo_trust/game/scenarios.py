"""Settings of the trust game: named ones, and distributions to draw from."""

from __future__ import annotations

import numpy as np

from econzoo.envs.contract import Distribution, SettingParams

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "silent": {"messages": False},
    "once": {"rounds": 1},
    "risky": {"factor": 6.0},
}
"""Named settings; ``default`` has the money and the factor of the paper."""


def _train(rng: np.random.Generator) -> SettingParams:
    """Factors from 2 to 5."""
    return {"factor": float(rng.uniform(2.0, 5.0))}


DISTRIBUTIONS: dict[str, Distribution] = {"train": _train}
"""Distributions over settings; ``train`` is what a learner meets unless told otherwise."""
