"""Scripted players of multi-issue bargaining, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from functools import partial

from econzoo.baselines.haggling import opponent_of
from econzoo.baselines.multi_issue.base import Divider
from econzoo.baselines.multi_issue.strategies import Concede, Fair, Greedy, Logroll, Spe, TitForTat
from econzoo.envs.games.multi_issue import GAME

PLAYERS: dict[str, type[Divider]] = {
    "spe": Spe,
    "fair": Fair,
    "greedy": Greedy,
    "concede": Concede,
    "logroll": Logroll,
    "tit-for-tat": TitForTat,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

STANDARD_POOL = ("spe", "fair", "greedy", "concede(0.2)", "concede(3)", "logroll", "tit-for-tat", "random")
"""Whom a player meets when it is evaluated: one of every strategy."""

TRAINING_POOL = (
    *("spe", "fair", "random", "greedy(0.8)", "logroll(2)", "logroll(0.5)"),
    *("concede(0.2)", "concede(0.5)", "concede(1)", "concede(3)", "concede(1, low=0.5)", "concede(1, high=0.7)"),
)
"""Whom a learner can be trained against, so that `HELD_OUT_POOL` stays new to it."""

HELD_OUT_POOL = ("concede(0.1)", "concede(5)", "concede(1, low=0.4)", "logroll(1)", "greedy(0.9)", "tit-for-tat")
"""Partners kept out of training: arguments that `TRAINING_POOL` does not have, and a strategy that it does not have."""

as_opponent = partial(opponent_of, game=GAME)
"""``as_opponent(spec)`` is a function that `best_response` takes; see `econzoo.baselines.haggling.opponent_of`."""

__all__ = ["HELD_OUT_POOL", "PLAYERS", "STANDARD_POOL", "TRAINING_POOL", "Divider", "as_opponent"]
