"""Scripted players of the guessing game, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.guess_average.strategies import Fixed, Guesser, KLevel, Last, Mono, MonoRand, Nash
from econzoo.baselines.pools import read_pools

PLAYERS: dict[str, type[Guesser]] = {
    "fixed": Fixed,
    "last": Last,
    "mono": Mono,
    "monorand": MonoRand,
    "k-level": KLevel,
    "nash": Nash,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
