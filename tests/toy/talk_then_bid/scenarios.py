"""Named parameter settings of talk and bids."""

from __future__ import annotations

from typing import Any

import numpy as np

MARKETS: dict[str, dict[str, Any]] = {"default": {}, "rare": {"likely": 0.1}}


def sample(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """The named setting, always."""
    return dict(MARKETS[name])
