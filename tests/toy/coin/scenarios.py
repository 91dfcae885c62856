"""Named parameter settings of call-the-coin."""

from __future__ import annotations

from typing import Any

import numpy as np

MARKETS: dict[str, dict[str, Any]] = {"default": {}, "loaded": {"bias": 0.9}}


def sample(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """The named setting, always."""
    return dict(MARKETS[name])
