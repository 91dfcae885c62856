"""What players share that err by chance, and less where it costs them more."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import argument, round_generator
from econzoo.envs.core.contract.moves import Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, StrategyMemory, UniformPair

MAX_PRECISION = 1e6
"""The highest precision."""


class QuantalHaggler(Haggler):
    """Draws its moves from a quantal response equilibrium (`econzoo.envs.families.offers.quantal`).

    It draws once a round, with its seed of the match, so that it answers the same if it is asked again.

    Args:
        spec: Its name.
        precision: From 0, where all moves are as likely, to a million.
    """

    deterministic = False

    def __init__(self, spec: str, precision: Any) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "precision", precision, 0.0, MAX_PRECISION),)

    @staticmethod
    def quantal_move(v: Any, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        """A draw from the equilibrium; number: the precision."""
        raise NotImplementedError

    @property
    def moves(self) -> MoveFunction:
        """How it moves."""
        return type(self).quantal_move

    def random_numbers(self, round: int) -> UniformPair:
        """What it draws from in a round."""
        rng = round_generator(self.seed, round)
        return rng.random(), rng.random()
