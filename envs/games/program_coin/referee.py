"""The referee: runs both programs in the sandbox, on the coin game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.game import CHANCE, Move, Ruling
from econzoo.envs.families.open_source.interfaces import COIN_GAME
from econzoo.envs.families.open_source.playing import BaseGame, letters, refereed
from econzoo.envs.families.open_source.sandbox import unavailable
from econzoo.envs.games.coin_game import rules as coin_game
from econzoo.envs.games.coin_game.grid import grid_of_state
from econzoo.envs.games.program_coin.rules import Params, Result, State, apply, base

__all__ = ["results", "ruling", "unavailable"]


class Coins(BaseGame):
    """The coin game as the referee runs it.

    Args:
        p: The match.
        seed: Of nature.
    """

    interface = COIN_GAME

    def __init__(self, p: Params, seed: int) -> None:
        super().__init__(seed)
        self.params = base(p)
        self.state = coin_game.initial(self.params)
        self._place()

    def _place(self) -> None:
        """Nature's moves, until both players and both coins are on the board."""
        while coin_game.to_act(self.params, self.state) == CHANCE:
            cell = int(self.nature.integers(self.params.size**2))
            self.moves.append(Move(CHANCE, (float(cell),)))
            self.state = coin_game.placed(self.params, self.state, cell)

    @property
    def over(self) -> bool:
        """Whether the last turn has been played."""
        return self.state.over

    def told(self) -> tuple[Any, ...]:
        """The board, made anew for each program: 4 layers of zeros and ones, for A, B, the red and the blue coin."""
        return (grid_of_state(self.params, self.state).astype(int).tolist(),)

    def turn(self, kinds: tuple[int, int], failures: tuple[int, int]) -> None:
        """A step of both, then coins come back."""
        self.made(kinds, failures)
        self.state = coin_game.step(self.params, self.state, (Move(kinds[0], (0.0,)), Move(kinds[1], (0.0,))))
        self._place()


def ruling(params: Params, state: State, actions: Sequence[Any], seed: int) -> Ruling:
    """What two programs play.

    Args:
        params: The match.
        state: The position.
        actions: The program of each seat.
        seed: Of nature and of both programs.
    """
    came = refereed(Coins(params, seed), params, actions, seed)
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
    made, after = letters(moves, COIN_GAME, params.turns), apply(params, state, moves)
    return tuple([_result(made, after, seat, problems[seat]) for seat in (0, 1)])


def _result(made: Sequence[str], after: State, seat: int, problem: tuple[str, str]) -> Result:
    return Result(
        made[seat], made[1 - seat], after.last[seat], after.own[seat], after.others[seat], after.failed[seat], *problem
    )
