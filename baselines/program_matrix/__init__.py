"""Authors for the open-source game of two moves, by name, and the pools that training and evaluation draw from.

What each program of the library does, and where it comes from, is told in its source
(`envs/families/open_source/library/matrix`).
"""

from __future__ import annotations

from functools import partial

from econzoo.baselines.programs.evolve import Evolve
from econzoo.baselines.programs.written import written_players

STANDARD_POOL: tuple[str, ...] = (
    "cooperate",
    "defect",
    "tit-for-tat",
    "grim-trigger",
    "clique-bot",
    "syntactic",
    "similarity",
    "fair-bot",
    "prudent-bot",
    "exploiter",
    "false-friend",
    "late-defector",
)
"""Whom an author meets when it is evaluated: blind programs, programs that read, programs that simulate, and
deceptive ones."""

TRAINING_POOL: tuple[str, ...] = (
    "cooperate",
    "defect",
    "tit-for-tat",
    "clique-bot",
    "fair-bot",
    "false-friend",
    "random",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "win-stay-lose-shift",
    "grim-trigger",
    "syntactic",
    "similarity",
    "prudent-bot",
    "exploiter",
    "false-clique-bot",
    "late-defector",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021)."""

PLAYERS = {**written_players("matrix"), "evolve": partial(Evolve, "matrix", TRAINING_POOL)}
"""Name to what makes the player; it gets (spec, *arguments of the spec)."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
