"""Base of quantal response players."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument, round_generator
from econzoo.baselines.offers.haggler import Haggler
from econzoo.envs.core.contract import Move, MoveFunction, Numbers, StrategyMemory, UniformPair

MAX_PRECISION = 1e6
"""Maximum precision."""


class QuantalHaggler(Haggler):
    """Samples its moves from a quantal response equilibrium (`econzoo.envs.families.offers.quantal`).

    It samples once per round from the seed of the match, so that a retry repeats the move.

    Args:
        precision: Logit precision from 0, where all moves are equally likely, to a million.
    """

    deterministic = False

    def __init__(self, spec: str, precision: Any) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "precision", precision, 0.0, MAX_PRECISION),)

    @staticmethod
    def quantal_move(v: Any, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        """Sample a move from the equilibrium; number: the precision."""
        raise NotImplementedError

    @property
    def moves(self) -> MoveFunction:
        return type(self).quantal_move

    def random_numbers(self, round: int) -> UniformPair:
        rng = round_generator(self.seed, round)
        return rng.random(), rng.random()
