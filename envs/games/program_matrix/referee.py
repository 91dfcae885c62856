"""The referee: runs both programs in the sandbox, on the iterated game of two moves."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from econzoo.envs.core.game import Move, Ruling
from econzoo.envs.families.open_source.interfaces import MATRIX
from econzoo.envs.families.open_source.playing import BaseGame, letters, refereed
from econzoo.envs.families.open_source.sandbox import unavailable
from econzoo.envs.games.program_matrix.rules import FORFEIT, Params, Result, State, apply

__all__ = ["results", "ruling", "unavailable"]


class Iterated(BaseGame):
    """The iterated game; hands may tremble.

    Args:
        p: The match.
        seed: Of nature.
    """

    interface = MATRIX
    shown = MappingProxyType({"-": "D"})  # so that programs that know two moves do not fail for the other's failure

    def __init__(self, p: Params, seed: int) -> None:
        super().__init__(seed)
        self.params = p

    @property
    def over(self) -> bool:
        """Whether the last turn has been played."""
        return len(self.histories[0]) == self.params.turns

    def turn(self, kinds: tuple[int, int], failures: tuple[int, int]) -> None:
        """Plays a turn: with the chance of a slip for each, drawn also where a move is missing."""
        if self.params.noise > 0.0:
            slips = self.nature.random(2) < self.params.noise
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
    came = refereed(Iterated(params, seed), params, actions, seed)
    return Ruling(came.moves, results(params, state, came.moves, came.problems()))


def results(
    params: Params, state: State, moves: tuple[Move, ...], problems: Sequence[tuple[str, str]]
) -> tuple[Result, ...]:
    """The public result of a meta-round for each seat.

    Args:
        params: The match.
        state: The position before it.
        moves: Of a ruling.
        problems: Each program's first failure and its problem; empty words for none.

    Raises:
        ValueError: The moves are not those of a meta-round.
    """
    made, after = letters(moves, MATRIX, params.turns), apply(params, state, moves)
    return tuple([_result(made, after, seat, problems[seat]) for seat in (0, 1)])


def _result(made: Sequence[str], after: State, seat: int, problem: tuple[str, str]) -> Result:
    return Result(made[seat], made[1 - seat], after.last[seat], after.failed[seat], *problem)
