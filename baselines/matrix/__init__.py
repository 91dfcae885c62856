"""Classic strategies of the iterated prisoner's dilemma, by name, and the pools that training and evaluation draw from.

In other 2x2 games they play the same, C and D as these are called there.
"""

from __future__ import annotations

from econzoo.baselines.matrix import (
    adaptive,
    first_tournament,
    grudges,
    majorities,
    memory_one,
    probers,
    tit_for_tats,
    unconditional,
    zero_determinant,
)
from econzoo.baselines.matrix.classic import Classic, Maker

PLAYERS: dict[str, Maker] = {
    **unconditional.FAMILY,
    **tit_for_tats.FAMILY,
    **grudges.FAMILY,
    **majorities.FAMILY,
    **memory_one.FAMILY,
    **zero_determinant.FAMILY,
    **probers.FAMILY,
    **adaptive.FAMILY,
    **first_tournament.FAMILY,
}
"""Name to maker; a maker gets (spec, *arguments of the spec)."""

CLASSICS: tuple[str, ...] = tuple(
    name for name in PLAYERS if name not in ("memory-one", "reactive", "zero-determinant")
)
"""Every strategy once, as it is without arguments: the field of a whole tournament."""

STANDARD_POOL: tuple[str, ...] = (
    "tit-for-tat",
    "cooperator",
    "defector",
    "grudger",
    "win-stay-lose-shift",
    "tit-for-two-tats",
    "generous-tit-for-tat",
    "suspicious-tit-for-tat",
    "gradual",
    "go-by-majority",
    "adaptive",
    "handshake",
    "prober",
    "zd-extort(2)",
    "cycler('CCD')",
    "random",
)
"""Whom a player meets when it is evaluated: the best known strategies, nice and nasty, and some of every family."""

TRAINING_POOL: tuple[str, ...] = (
    "tit-for-tat",
    "cooperator",
    "defector",
    "grudger",
    "tit-for-two-tats",
    "two-tits-for-tat",
    "go-by-majority(10)",
    "soft-grudger",
    "memory-one(0.9, 0.1, 0.9, 0.1)",
    "memory-one(0.7, 0.3, 0.3, 0.7)",
    "generous-tit-for-tat(0.2)",
    "zd-extort(3)",
    "cycler('CD')",
    "prober-2",
    "mixed(0.8)",
    "random",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "win-stay-lose-shift",
    "suspicious-tit-for-tat",
    "gradual",
    "adaptive",
    "handshake",
    "hard-go-by-majority",
    "zd-extort(2)",
    "zd-generous(2)",
    "firm-but-fair",
    "generous-tit-for-tat",
    "detective",
    "cycler('CCD')",
    "mixed(0.3)",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "contrite-tit-for-tat",
    "omega-tit-for-tat",
    "nydegger",
    "desperate",
    "forgetful-grudger(7)",
    "adaptive-tit-for-tat(0.34)",
    "memory-one(0.86, 0.24, 0.53, 0.13)",
    "remorseful-prober(0.24)",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""

__all__ = ["CLASSICS", "Classic", "PLAYERS", "STANDARD_POOL", "TEST_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
