"""Scripted players and opponent pools of the survival auction.

Equal highest bids destroy the water of the day. No two of these players ever bid the same: see
`econzoo.baselines.survival.base.Bidder`.
"""

from __future__ import annotations

from econzoo.baselines import read_pools
from econzoo.baselines.survival import PLAYERS as BIDDERS

PLAYERS = {name: bidder for name, bidder in BIDDERS.items() if name != "honest-share"}
"""Classes by name, called with (spec, *arguments of the spec), without the bidder of equal shares."""

POOLS = read_pools(__package__)
