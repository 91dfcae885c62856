"""Markets of a training, by name or as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.baselines.single_agent import distribution
from econzoo.envs.core.registry import game as find_game

__all__ = ["fixed_setting", "params_of"]


def fixed_setting(game: str, markets: str) -> dict[str, Any] | None:
    """The parameters of a single setting; None for a distribution of settings."""
    found = distribution(game, markets)
    return None if callable(found) else dict(found or {})


def params_of(game: str, markets: str) -> Any:
    """The rules' parameters of one of the markets; all have the same number of seats.

    Raises:
        ValueError: There are no such markets.
    """
    found = distribution(game, markets)
    public = found(np.random.default_rng(0)) if callable(found) else found or {}
    return find_game(game).params(**public)[1]
