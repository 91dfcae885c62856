"""Scripted players of water allocation, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.survival.bidders import PLAYERS

STANDARD_POOL: tuple[str, ...] = (
    "mpc",
    "need-based",
    "reserve(3)",
    "shade(0.5)",
    "last-price+1",
    "honest-share",
    "all-in",
    "bid(100)",
    "mixed(0.5, 1)",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy."""

TRAINING_POOL: tuple[str, ...] = (
    "need-based",
    "reserve(1)",
    "reserve(3)",
    "reserve(10)",
    "shade(0.2)",
    "shade(0.5)",
    "shade(0.8)",
    "all-in",
    "bid(60)",
    "bid(100)",
    "bid(150)",
    "mixed(0, 0.5)",
    "mixed(0.5, 1)",
    "random",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "mpc",
    "reserve(5)",
    "shade(0.35)",
    "last-price+1",
    "honest-share",
    "bid(120)",
    "mixed(0.2, 0.7)",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "mpc(8, 24, 0.43)",
    "reserve(2)",
    "reserve(7)",
    "shade(0.41)",
    "shade(0.67)",
    "bid(84)",
    "mixed(0.34, 0.97)",
    "mixed(0.13, 0.43)",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TEST_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
