"""Scripted players of the Coin Game, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.coin_game.base import Collector
from econzoo.baselines.coin_game.strategies import (
    BestResponse,
    Considerate,
    Cooperative,
    Efficient,
    Greedy,
    Grim,
    Mixed,
    Punisher,
    SelfishLast,
    Spiteful,
    TitForTat,
)
from econzoo.baselines.pools import read_pools

PLAYERS: dict[str, type[Collector]] = {
    "greedy": Greedy,
    "cooperative": Cooperative,
    "considerate": Considerate,
    "spiteful": Spiteful,
    "mixed": Mixed,
    "tit-for-tat": TitForTat,
    "punisher": Punisher,
    "grim": Grim,
    "selfish-last": SelfishLast,
    "efficient": Efficient,
    "best-response": BestResponse,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
