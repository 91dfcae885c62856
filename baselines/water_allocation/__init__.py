"""Scripted players and opponent pools of water allocation."""

from __future__ import annotations

from econzoo.baselines import read_pools
from econzoo.baselines.survival import PLAYERS

__all__ = ["PLAYERS", "POOLS"]

POOLS = read_pools(__package__)
