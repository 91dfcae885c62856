"""Scripted players of water allocation, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.pools import read_pools
from econzoo.baselines.survival import PLAYERS

__all__ = ["PLAYERS", "POOLS"]

POOLS = read_pools(__package__)
