"""Authors for the open-source coin game, by name, and the pools that training and evaluation draw from.

What each program of the library does, and where it comes from, is told in its source, in
`envs/families/open_source/library/coin_game`.
"""

from __future__ import annotations

from functools import partial

from econzoo.baselines.programs.evolve import Evolve
from econzoo.baselines.programs.written import written_players

STANDARD_POOL: tuple[str, ...] = (
    "greedy",
    "cooperative",
    "tit-for-tat-collector",
    "clique-bot",
    "similarity",
    "fair-bot",
    "late-taker",
)
"""Whom an author meets when it is evaluated: blind programs, programs that read, programs that simulate, and
deceptive ones."""

TRAINING_POOL: tuple[str, ...] = ("greedy", "cooperative", "clique-bot", "random")
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = ("tit-for-tat-collector", "similarity", "fair-bot", "late-taker")
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021)."""

PLAYERS = {**written_players("coin_game"), "evolve": partial(Evolve, "coin_game", TRAINING_POOL)}
"""Name to what makes the player; it gets (spec, *arguments of the spec)."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
