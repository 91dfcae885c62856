"""Authors and opponent pools of the open-source game of two moves.

The source of each library program documents it
(`envs/families/open_source/library/matrix`).
"""

from __future__ import annotations

from functools import partial

from econzoo.baselines import read_pools
from econzoo.baselines.programs import Evolve, library_players

POOLS = read_pools(__package__)

PLAYERS = {**library_players("matrix"), "evolve": partial(Evolve, "matrix", POOLS["training"])}
"""Factories by name, called with (spec, *arguments of the spec)."""
