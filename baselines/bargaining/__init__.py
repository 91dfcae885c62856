"""Scripted players and opponent pools of bargaining."""

from __future__ import annotations

from functools import partial

from econzoo.baselines import read_pools
from econzoo.baselines.offers import opponent_of
from econzoo.envs.core import ObjectsByName
from econzoo.envs.games.bargaining import GAME

PLAYERS = ObjectsByName(
    {
        "spe": f"{__name__}.equilibrium:Spe",
        "fair": f"{__name__}.strategies:Fair",
        "boulware": f"{__name__}.tactics:Boulware",
        "conceder": f"{__name__}.tactics:Conceder",
        "linear": f"{__name__}.tactics:Linear",
        "tit-for-tat": f"{__name__}.tactics:TitForTat",
        "greedy": f"{__name__}.strategies:Greedy",
        "acceptor": f"{__name__}.strategies:Acceptor",
        "deadline": f"{__name__}.strategies:Deadline",
        "identify": f"{__name__}.equilibrium:Identify",
        "plan": f"{__name__}.planner:Plan",
        "quantal": f"{__name__}.equilibrium:Quantal",
        "generated": f"{__name__}.tactics:Generated",
        "sender": f"{__name__}.talk:Sender",
        "receiver": f"{__name__}.talk:Receiver",
    }
)
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

make_opponent = partial(opponent_of, game=GAME)
"""``make_opponent(spec)`` returns a function for `best_response`; see `opponent_of`."""
