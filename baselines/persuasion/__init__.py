"""Scripted players of persuasion, by name, and the pools that training and evaluation draw from.

Sellers take seat 0 and buyers seat 1 (`Player.seats`); ``always`` and ``random`` take both.
"""

from __future__ import annotations

from econzoo.baselines.persuasion.buyers import Babbling, Bayes, Grim, Never, TitForTat, Trust
from econzoo.baselines.persuasion.sellers import Always, BayesPersuader, Honest, Quota, Signal, TrustBuilder
from econzoo.baselines.player import Player

PLAYERS: dict[str, type[Player]] = {
    "honest": Honest,
    "always": Always,
    "signal": Signal,
    "bayes-persuader": BayesPersuader,
    "trust-builder": TrustBuilder,
    "quota": Quota,
    "never": Never,
    "babbling": Babbling,
    "bayes": Bayes,
    "trust": Trust,
    "grim": Grim,
    "tit-for-tat": TitForTat,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = (
    "honest",
    "bayes",
    "always",
    "bayes-persuader",
    "trust(0.7)",
    "trust-builder(10)",
    "grim",
    "quota",
    "tit-for-tat",
    "signal(0.5)",
    "babbling",
    "never",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy, sellers and buyers."""

TRAINING_POOL: tuple[str, ...] = (
    "honest",
    "always",
    "signal(0.2)",
    "signal(0.5)",
    "signal(0.8)",
    "bayes-persuader",
    "bayes-persuader(0.3)",
    "trust-builder(3)",
    "trust-builder(10)",
    "random",
    "bayes",
    "bayes(10)",
    "trust(0)",
    "trust(0.5)",
    "trust(0.8)",
    "grim",
    "babbling",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "signal(0.35)",
    "bayes-persuader(0.15)",
    "trust-builder(6)",
    "quota",
    "bayes(4)",
    "trust(0.65)",
    "tit-for-tat",
    "never",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "signal(0.24, 0.93)",
    "signal(0.43, 0.86)",
    "bayes-persuader(0.07)",
    "trust-builder(8)",
    "bayes(6.4)",
    "bayes(0.9)",
    "trust(0.34)",
    "trust(0.73)",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TEST_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
