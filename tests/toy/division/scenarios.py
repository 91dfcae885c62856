"""Named parameter settings of the division."""

from __future__ import annotations

from typing import Any

import numpy as np

MARKETS: dict[str, dict[str, Any]] = {
    "default": {},
    "one kind": {"items": (4,), "worth": ((1,), (1,))},
}


def sample(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """The named setting, always."""
    return dict(MARKETS[name])
