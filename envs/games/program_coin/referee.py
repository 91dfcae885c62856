"""The referee: runs both programs in the sandbox, on the coin game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.game import CHANCE, Move, Ruling
from econzoo.envs.games.coin_game import rules as coin_game
from econzoo.envs.games.coin_game.grid import grid_of_state
from econzoo.envs.games.program_coin.rules import Params, Result, State, apply, base
from econzoo.envs.programs.interfaces import COIN_GAME
from econzoo.envs.programs.playing import BaseGame, Played, refereed
from econzoo.envs.programs.sandbox import unavailable

__all__ = ["ruling", "unavailable"]


class Coins(BaseGame):
    """The coin game as the referee runs it.

    Args:
        p: The match.
        rng: Of nature.
    """

    interface = COIN_GAME

    def __init__(self, p: Params, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.params = base(p)
        self.state = coin_game.initial(self.params)
        self._place()

    def _place(self) -> None:
        """Nature's moves, until both players and both coins are on the board."""
        while coin_game.to_act(self.params, self.state) == CHANCE:
            cell = int(self.rng.integers(self.params.size**2))
            self.moves.append(Move(CHANCE, float(cell)))
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
        self.state = coin_game.step(self.params, self.state, (Move(kinds[0], 0.0), Move(kinds[1], 0.0)))
        self._place()


def ruling(params: Params, state: State, actions: Sequence[Any], seed: int) -> Ruling:
    """What two programs play.

    Args:
        params: The match.
        state: The position.
        actions: The program of each seat.
        seed: Of nature and of both programs.
    """
    came = refereed(Coins(params, np.random.default_rng(seed)), params, actions, seed)
    after = apply(params, state, came.moves)
    return Ruling(came.moves, tuple([_result(came, after, seat) for seat in (0, 1)]))


def _result(came: Played, after: State, seat: int) -> Result:
    moves, against = came.letters(seat)
    return Result(moves, against, after.last[seat], after.own[seat], after.others[seat], *came.failed(seat))
