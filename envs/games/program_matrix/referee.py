"""The referee: runs both programs in the sandbox, on the iterated game of two moves."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from econzoo.envs.core.game import Ruling
from econzoo.envs.games.program_matrix.rules import FORFEIT, Params, Result, State, apply
from econzoo.envs.programs.interfaces import MATRIX
from econzoo.envs.programs.playing import BaseGame, Played, refereed
from econzoo.envs.programs.sandbox import unavailable

__all__ = ["ruling", "unavailable"]


class Iterated(BaseGame):
    """The iterated game; hands may tremble.

    Args:
        p: The match.
        rng: Of nature.
    """

    interface = MATRIX
    shown = MappingProxyType({"-": "D"})  # so that programs that know two moves do not fail for the other's failure

    def __init__(self, p: Params, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.params = p

    @property
    def over(self) -> bool:
        """Whether the last turn has been played."""
        return len(self.histories[0]) == self.params.turns

    def turn(self, kinds: tuple[int, int], failures: tuple[int, int]) -> None:
        """Plays a turn: with the chance of a slip for each, drawn also where a move is missing."""
        if self.params.noise > 0.0:
            slips = self.rng.random(2) < self.params.noise
            first, second = (1 - k if slip and k != FORFEIT else k for k, slip in zip(kinds, slips, strict=True))
            kinds = first, second
        self.made(kinds, failures)


def ruling(params: Params, state: State, actions: Sequence[Any], seed: int) -> Ruling:
    """What two programs play.

    Args:
        params: The match.
        state: The position.
        actions: The program of each seat.
        seed: Of nature and of both programs.
    """
    came = refereed(Iterated(params, np.random.default_rng(seed)), params, actions, seed)
    after = apply(params, state, came.moves)
    return Ruling(came.moves, tuple([_result(came, after, seat) for seat in (0, 1)]))


def _result(came: Played, after: State, seat: int) -> Result:
    moves, against = came.letters(seat)
    return Result(moves, against, after.last[seat], *came.failed(seat))
