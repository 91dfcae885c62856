"""Scripted players of the guessing game, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.guess_average.strategies import Fixed, Guesser, KLevel, Last, Mono, MonoRand, Nash

PLAYERS: dict[str, type[Guesser]] = {
    "fixed": Fixed,
    "last": Last,
    "mono": Mono,
    "monorand": MonoRand,
    "k-level": KLevel,
    "nash": Nash,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = (
    "k-level(1)",
    "k-level(2)",
    "k-level(3)",
    "fixed(40, 5)",
    "last(5)",
    "mono(40, 5)",
    "monorand(40, 5)",
    "nash",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy, and the steps of reasoning that people take."""

TRAINING_POOL: tuple[str, ...] = (
    "k-level(0)",
    "k-level(1)",
    "k-level(2)",
    "k-level(1, 60)",
    "fixed(40, 5)",
    "fixed(60, 5)",
    "fixed(20, 10)",
    "last(0)",
    "last(5)",
    "mono(40, 5)",
    "mono(60, 4)",
    "mono(25, 2)",
    "random",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "k-level(3)",
    "fixed(30, 8)",
    "last(2)",
    "mono(50, 3)",
    "monorand(40, 5)",
    "nash",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "fixed(52, 7)",
    "fixed(26, 3)",
    "last(4)",
    "last(7, 53)",
    "mono(34, 2)",
    "monorand(55, 4)",
    "k-level(4)",
    "k-level(2, 67)",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TEST_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
