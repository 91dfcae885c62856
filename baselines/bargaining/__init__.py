"""Scripted players of bargaining, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from econzoo.baselines.bargaining.strategies import Boulware, Fair
from econzoo.baselines.player import Player

PLAYERS: dict[str, Callable[..., Player]] = {
    "fair": Fair,
    "boulware": Boulware,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

__all__ = ["PLAYERS", "Any"]
