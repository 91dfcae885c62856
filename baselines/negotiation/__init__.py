"""Scripted players and opponent pools of negotiation."""

from __future__ import annotations

from functools import partial

from econzoo.baselines import read_pools
from econzoo.baselines.offers import opponent_of
from econzoo.envs.core import ObjectsByName
from econzoo.envs.games.negotiation import GAME

PLAYERS = ObjectsByName(
    {
        "spe": f"{__name__}.strategies:Spe",
        "honest-midpoint": f"{__name__}.strategies:HonestMidpoint",
        "anchor": f"{__name__}.strategies:Anchor",
        "concede": f"{__name__}.strategies:Concede",
        "holdout": f"{__name__}.strategies:Holdout",
        "fixed-price": f"{__name__}.strategies:FixedPrice",
        "tough": f"{__name__}.strategies:Tough",
        "truthful": f"{__name__}.strategies:Truthful",
        "identify": f"{__name__}.strategies:Identify",
        "plan": f"{__name__}.planner:Plan",
        "quantal": f"{__name__}.strategies:Quantal",
        "generated": f"{__name__}.strategies:Generated",
    }
)
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

make_opponent = partial(opponent_of, game=GAME)
"""``make_opponent(spec)`` returns a function for `best_response`; see `opponent_of`."""
