"""Scripted players and opponent pools of bargaining."""

from __future__ import annotations

from functools import partial

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.bargaining.strategies import Acceptor, Deadline, Fair, Generated, Greedy, Identify, Quantal, Spe
from econzoo.baselines.bargaining.tactics import Boulware, Conceder, Linear, TitForTat
from econzoo.baselines.bargaining.talk import Receiver, Sender
from econzoo.baselines.offers.haggler import opponent_of
from econzoo.baselines.pools import read_pools
from econzoo.envs.games.bargaining import GAME

PLAYERS: dict[str, type[BargainingPlayer]] = {
    "spe": Spe,
    "fair": Fair,
    "boulware": Boulware,
    "conceder": Conceder,
    "linear": Linear,
    "tit-for-tat": TitForTat,
    "greedy": Greedy,
    "acceptor": Acceptor,
    "deadline": Deadline,
    "identify": Identify,
    "quantal": Quantal,
    "generated": Generated,
    "sender": Sender,
    "receiver": Receiver,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

make_opponent = partial(opponent_of, game=GAME)
"""``make_opponent(spec)`` returns a function for `best_response`; see `opponent_of`."""
