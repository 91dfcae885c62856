"""Scripted players of negotiation, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from functools import partial

from econzoo.baselines.haggling import opponent_of
from econzoo.baselines.negotiation.base import NegotiationPlayer
from econzoo.baselines.negotiation.identify import Identify
from econzoo.baselines.negotiation.quantal import Quantal
from econzoo.baselines.negotiation.strategies import FixedPrice, HonestMidpoint, Spe, Tough, Truthful
from econzoo.baselines.negotiation.tactics import Anchor, Concede, Holdout
from econzoo.envs.games.negotiation import GAME

PLAYERS: dict[str, type[NegotiationPlayer]] = {
    "spe": Spe,
    "honest-midpoint": HonestMidpoint,
    "anchor": Anchor,
    "concede": Concede,
    "holdout": Holdout,
    "fixed-price": FixedPrice,
    "tough": Tough,
    "truthful": Truthful,
    "identify": Identify,
    "quantal": Quantal,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL: tuple[str, ...] = (
    "spe",
    "honest-midpoint",
    "anchor(2)",
    "concede(0.2)",
    "concede(3)",
    "fixed-price(0.5)",
    "tough",
    "truthful",
    "random",
)
"""Whom a player meets when it is evaluated: one of every strategy."""

TRAINING_POOL: tuple[str, ...] = (
    "spe",
    "honest-midpoint",
    "truthful",
    "random",
    "concede(0.2)",
    "concede(0.3)",
    "concede(0.5)",
    "concede(1)",
    "concede(1, high=0.8)",
    "concede(1, low=0.3)",
    "concede(2)",
    "concede(3)",
    "fixed-price(0.2)",
    "fixed-price(0.3)",
    "fixed-price(0.4)",
    "fixed-price(0.5)",
    "fixed-price(0.6)",
)
"""Whom a learner can be trained against, so that `VALIDATION_POOL` stays new to it."""

WIDE_POOL: tuple[str, ...] = (
    *TRAINING_POOL,
    "anchor(x~uniform(0.9, 4), goal~uniform(0.3, 0.9))",
    "tough(share~uniform(0.6, 1))",
    "concede(e~loguniform(0.05, 8))",
    "concede(e~loguniform(0.05, 8), high~uniform(0.6, 1), low~uniform(0, 0.5))",
    "fixed-price(share~uniform(0.1, 0.7))",
)
"""The same and more of every strategy, with arguments that are drawn for every match, so that learners meet strategies
rather than seventeen players. It has the strategies of `VALIDATION_POOL` and `TEST_POOL`, not their arguments."""

VALIDATION_POOL: tuple[str, ...] = (
    "concede(0.1)",
    "concede(5)",
    "concede(1, low=0.4)",
    "fixed-price(0.45)",
    "anchor(2)",
    "tough",
)
"""Partners kept out of training, to see whether what was learned carries over (as Melting Pot, Leibo et al. 2021,
does): arguments that `TRAINING_POOL` does not have, and whole strategies that it does not have."""

TEST_POOL: tuple[str, ...] = (
    "anchor(3.2, 0.63)",
    "anchor(1.4, 0.37)",
    "tough(0.82)",
    "tough(0.68)",
    "concede(0.43, 0.96, 0.24)",
    "concede(7.5, 0.85, 0.34)",
    "concede(1.6, 0.72, 0.13)",
    "fixed-price(0.53)",
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
    "NegotiationPlayer",
    "as_opponent",
]
