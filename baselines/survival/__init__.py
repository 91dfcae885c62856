"""Bidders for water by name."""

from __future__ import annotations

from econzoo.baselines.survival.base import Bidder
from econzoo.baselines.survival.mpc import Mpc
from econzoo.baselines.survival.strategies import (
    AllIn,
    FixedBid,
    HonestShare,
    LastPrice,
    Mixed,
    NeedBased,
    Reserve,
    Shade,
)

PLAYERS: dict[str, type[Bidder]] = {
    "reserve": Reserve,
    "need-based": NeedBased,
    "shade": Shade,
    "all-in": AllIn,
    "last-price+1": LastPrice,
    "honest-share": HonestShare,
    "bid": FixedBid,
    "mixed": Mixed,
    "mpc": Mpc,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""
