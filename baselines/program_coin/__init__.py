"""Authors for the open-source coin game, by name, and the pools that training and evaluation draw from.

What each program of the library does, and where it comes from, is told in its source, in
`envs/families/open_source/library/coin_game`.
"""

from __future__ import annotations

from functools import partial

from econzoo.baselines.pools import read_pools
from econzoo.baselines.programs.evolve import Evolve
from econzoo.baselines.programs.fixed_program import library_players

POOLS = read_pools(__package__)

PLAYERS = {**library_players("coin_game"), "evolve": partial(Evolve, "coin_game", POOLS["training"])}
"""Name to what makes the player; it gets (spec, *arguments of the spec)."""
