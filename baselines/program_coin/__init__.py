"""Authors and opponent pools of the open-source coin game.

The source of each library program documents it:
`envs/families/open_source/library/coin_game`.
"""

from __future__ import annotations

from functools import partial

from econzoo.baselines import read_pools
from econzoo.baselines.programs import Evolve, library_players

POOLS = read_pools(__package__)

PLAYERS = {**library_players("coin_game"), "evolve": partial(Evolve, "coin_game", POOLS["training"])}
"""Factories by name, called with (spec, *arguments of the spec)."""
