"""Named parameter settings of the orders."""

from __future__ import annotations

from typing import Any

import numpy as np

MARKETS: dict[str, dict[str, Any]] = {"default": {}, "poor": {"purse": 5.0}}


def sample(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """The named setting, always."""
    return dict(MARKETS[name])
