"""Scripted players and opponent pools of negotiation."""

from __future__ import annotations

from functools import partial

from econzoo.baselines.negotiation.base import NegotiationPlayer
from econzoo.baselines.negotiation.strategies import (
    Anchor,
    Concede,
    FixedPrice,
    Generated,
    Holdout,
    HonestMidpoint,
    Identify,
    Quantal,
    Spe,
    Tough,
    Truthful,
)
from econzoo.baselines.offers.haggler import opponent_of
from econzoo.baselines.pools import read_pools
from econzoo.envs.games.negotiation import GAME

PLAYERS: dict[str, type[NegotiationPlayer]] = {
    "spe": Spe,
    "honest-midpoint": HonestMidpoint,
    "anchor": Anchor,
    "concede": Concede,
    "holdout": Holdout,
    "fixed-price": FixedPrice,
    "tough": Tough,
    "truthful": Truthful,
    "identify": Identify,
    "quantal": Quantal,
    "generated": Generated,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

make_opponent = partial(opponent_of, game=GAME)
"""``make_opponent(spec)`` returns a function for `best_response`; see `opponent_of`."""
