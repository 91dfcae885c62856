"""Scripted players of the Coin Game, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from econzoo.baselines.coin_game.base import Collector
from econzoo.baselines.coin_game.strategies import (
    BestResponse,
    Considerate,
    Cooperative,
    Efficient,
    Greedy,
    Grim,
    Mixed,
    Punisher,
    SelfishLast,
    Spiteful,
    TitForTat,
)

PLAYERS: dict[str, type[Collector]] = {
    "greedy": Greedy,
    "cooperative": Cooperative,
    "considerate": Considerate,
    "spiteful": Spiteful,
    "mixed": Mixed,
    "tit-for-tat": TitForTat,
    "punisher": Punisher,
    "grim": Grim,
    "selfish-last": SelfishLast,
    "efficient": Efficient,
    "best-response": BestResponse,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = (
    "greedy",
    "cooperative",
    "considerate",
    "spiteful",
    "mixed(0.5)",
    "tit-for-tat",
    "punisher(3)",
    "grim",
    "selfish-last(2)",
    "efficient",
    "best-response('greedy')",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy."""

TRAINING_POOL: tuple[str, ...] = (
    "greedy",
    "cooperative",
    "spiteful",
    "mixed(0.25)",
    "mixed(0.75)",
    "tit-for-tat",
    "tit-for-tat(2)",
    "punisher(2)",
    "punisher(6)",
    "selfish-last(1)",
    "selfish-last(4)",
    "random",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

VALIDATION_POOL: tuple[str, ...] = (
    "considerate",
    "mixed(0.5)",
    "tit-for-tat(1)",
    "punisher(4)",
    "grim",
    "selfish-last(2)",
    "efficient",
    "best-response('cooperative')",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "mixed(0.13)",
    "mixed(0.62)",
    "tit-for-tat(3)",
    "punisher(5)",
    "punisher(9)",
    "selfish-last(3)",
    "selfish-last(6)",
    "best-response('spiteful')",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""

__all__ = ["PLAYERS", "STANDARD_POOL", "TEST_POOL", "TRAINING_POOL", "VALIDATION_POOL"]
