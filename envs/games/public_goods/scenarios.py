"""Settings to play in: named ones, distributions to draw from, and a set that training never sees."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract.scenarios import Distribution, Market, any_of, grid

MARKETS: dict[str, Market] = {
    "default": {},
    "no-points": {"punishment": False},
    "linear": {"cost": "linear"},
    "pair": {"players": 2, "mpcr": 0.7},
}
"""Named settings; ``default`` and ``no-points`` are the two treatments of Fehr and Gächter (2000)."""

HELD_OUT: tuple[Market, ...] = grid(punishment=(False,), mpcr=(0.35, 0.4, 0.5), rounds=(7, 10))
"""Settings to test what a learner has understood: numbers of rounds that ``sample("train", rng)`` never draws."""


def _train(rng: np.random.Generator) -> Market:
    """Returns uniform in [0.3, 0.6], 5 to 12 rounds, no points."""
    return {"punishment": False, "mpcr": float(rng.uniform(0.3, 0.6)), "rounds": int(rng.choice((5, 6, 8, 9, 11, 12)))}


DISTRIBUTIONS: dict[str, Distribution] = {"train": _train, "held-out": any_of(HELD_OUT)}
