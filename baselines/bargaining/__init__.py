"""Scripted players of bargaining, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from functools import partial

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.bargaining.identify import Identify
from econzoo.baselines.bargaining.quantal import Quantal
from econzoo.baselines.bargaining.strategies import Acceptor, Deadline, Fair, Greedy, Spe
from econzoo.baselines.bargaining.tactics import Boulware, Conceder, Linear, TitForTat
from econzoo.baselines.haggling import opponent_of
from econzoo.envs.games.bargaining import GAME

PLAYERS: dict[str, type[BargainingPlayer]] = {
    "spe": Spe,
    "fair": Fair,
    "boulware": Boulware,
    "conceder": Conceder,
    "linear": Linear,
    "tit-for-tat": TitForTat,
    "greedy": Greedy,
    "acceptor": Acceptor,
    "deadline": Deadline,
    "identify": Identify,
    "quantal": Quantal,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = (
    "spe",
    "fair",
    "boulware(0.2)",
    "conceder(2)",
    "linear",
    "tit-for-tat",
    "greedy",
    "acceptor(0.4)",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy."""

TRAINING_POOL: tuple[str, ...] = (
    "spe",
    "fair",
    "random",
    "boulware(0.2)",
    "boulware(0.3)",
    "boulware(0.5)",
    "conceder(2)",
    "conceder(3)",
    "linear",
    "linear(high=0.8)",
    "linear(low=0.3)",
    "acceptor(0.2)",
    "acceptor(0.3)",
    "acceptor(0.35)",
    "acceptor(0.4)",
    "acceptor(0.5)",
    "acceptor(0.6)",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

WIDE_POOL: tuple[str, ...] = (
    *TRAINING_POOL,
    "boulware(e~loguniform(0.05, 0.95), high~uniform(0.6, 1), low~uniform(0, 0.5))",
    "conceder(e~loguniform(1.1, 8), high~uniform(0.6, 1), low~uniform(0, 0.5))",
    "linear(high~uniform(0.6, 1), low~uniform(0, 0.5))",
    "acceptor(threshold~uniform(0.05, 0.7))",
    "tit-for-tat(high~uniform(0.5, 1), low~uniform(0, 0.45))",
    "tit-for-tat(low~uniform(0, 0.4))",
    "greedy(share~uniform(0.6, 1))",
    "greedy(share~uniform(0.85, 1))",
    "random",
)
"""The same and more of every strategy, with arguments that are drawn for every match, so that learners meet strategies
rather than seventeen players. It has the strategies of `VALIDATION_POOL` and `TEST_POOL`, not their arguments."""

VALIDATION_POOL: tuple[str, ...] = (
    "boulware(0.1)",
    "conceder(5)",
    "linear(low=0.4)",
    "tit-for-tat",
    "greedy(0.9)",
    "acceptor(0.45)",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "tit-for-tat(0.86, 0.34)",
    "tit-for-tat(0.97, 0.13)",
    "greedy(0.73)",
    "greedy(0.84)",
    "boulware(0.43, 0.82, 0.31)",
    "conceder(7.5, 0.96, 0.26)",
    "linear(0.85, 0.34)",
    "acceptor(0.24)",
)
"""Partners of the last test, drawn once and frozen: met neither in training nor when something is chosen."""


as_opponent = partial(opponent_of, game=GAME)
"""``as_opponent(spec)`` is a function that `best_response` takes; see `econzoo.baselines.haggling.opponent_of`."""

__all__ = [
    "PLAYERS",
    "STANDARD_POOL",
    "TEST_POOL",
    "TRAINING_POOL",
    "VALIDATION_POOL",
    "WIDE_POOL",
    "BargainingPlayer",
    "as_opponent",
]
