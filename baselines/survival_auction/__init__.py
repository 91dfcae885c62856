"""Scripted players of the survival auction, by name, and the pools that training and evaluation draw from.

Equal highest bids destroy the water of the day. No two of these players ever bid the same: see
`econzoo.baselines.survival.base.Bidder`.
"""

from __future__ import annotations

from econzoo.baselines.pools import read_pools
from econzoo.baselines.survival import PLAYERS as BIDDERS

PLAYERS = {name: bidder for name, bidder in BIDDERS.items() if name != "honest-share"}
"""Name to class; a class gets (spec, *arguments of the spec). All but the one to whom equals have equal shares."""

POOLS = read_pools(__package__)
