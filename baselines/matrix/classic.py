"""A strategy of `econzoo.baselines.matrix` as a player at the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from econzoo.baselines.matrix.moves import HIDDEN, Moves, Numbers, Payoffs
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import draw
from econzoo.envs.core.contract import moves
from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.envs.core.contract.scripts import NO_LUCK, Luck, Mover, Past, Script
from econzoo.envs.games.matrix.rules import Params, View

Move: TypeAlias = Callable[[Moves, Moves, int, int, float, Numbers], int]
"""A strategy's function, as in `econzoo.baselines.matrix.moves`."""

Fit: TypeAlias = Callable[[Payoffs, Numbers], Numbers]
"""How a strategy's numbers follow from its payoffs and arguments."""

Maker: TypeAlias = Callable[..., "Classic"]


def as_given(payoffs: Payoffs, x: Numbers) -> Numbers:
    """The arguments, whatever the payoffs."""
    return x


def both_histories(p: Params) -> tuple[float, ...]:
    """Room for the moves of both."""
    return (0.0,) * (2 * p.rounds)


def note(v: View, past: Past) -> None:
    """Writes down the round before: whole numbers, in the place of floats, so that they are found as they are."""
    if v.round > 1:
        whole, half = past.view(np.int64), len(past) // 2
        whole[v.round - 2] = int(v.last_own)
        whole[half + v.round - 2] = int(v.last_other)


@lru_cache(maxsize=256)
def mover(move: Move, fit: Fit) -> Mover:
    """How a strategy moves where its histories are arrays."""

    def moved(v: View, x: Numbers, past: Past, u: Luck) -> moves.Move:
        whole, half = past.view(np.int64), len(past) // 2
        horizon, given = HIDDEN if v.rounds == UNKNOWN else int(v.rounds), fit(Payoffs(v.cc, v.cd, v.dc, v.dd), x)
        return moves.Move(int(move(whole[:half], whole[half:], v.round - 1, horizon, u[0], given)), (0.0,))

    return moved


class Classic(Player):
    """Plays a strategy of repeated 2x2 games, C and D as the strategy has them whatever they are called in the game.

    Args:
        spec: The spec.
        move: The strategy's function.
        given: Its arguments.
        fit: How its numbers follow from the seat's payoffs and these.
        draws: Whether it draws lots.
    """

    def __init__(
        self, spec: str, move: Move, given: tuple[float, ...] = (), fit: Fit = as_given, *, draws: bool = False
    ) -> None:
        super().__init__(spec)
        self.move, self.given, self.fit, self.deterministic = move, given, fit, not draws

    @property
    def script(self) -> Script:
        """The strategy where its histories are arrays."""
        return Script(mover(self.move, self.fit), self.given, both_histories, note)

    def numbers(self, payoffs: Payoffs) -> Numbers:
        """The numbers of the strategy in a game with these payoffs."""
        return self.fit(payoffs, self.given)

    def luck(self, round: int) -> Luck:
        """Its luck of a round, of which one number counts."""
        return NO_LUCK if self.deterministic else (draw(self.seed, round - 1).random(), 0.0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Forgets the match before."""
        self.seed = seed
        self.mine, self.theirs = bytearray(), bytearray()
        view = info.view
        self.fitted = self.numbers(Payoffs(view.cc, view.cd, view.dc, view.dd))

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """The strategy's move after the rounds played."""
        turn = observation["round"] - 1
        if turn > len(self.mine):
            self.mine.append(int(observation["last_own"]))
            self.theirs.append(int(observation["last_other"]))
        horizon = HIDDEN if observation["rounds"] is None else int(observation["rounds"])
        chosen = self.move(self.mine, self.theirs, turn, horizon, self.luck(turn + 1)[0], self.fitted)
        return {"kind": "CD"[chosen]}


def plain(move: Move, *, draws: bool = False) -> Maker:
    """Makes players of a strategy without numbers."""

    def made(spec: str) -> Classic:
        return Classic(spec, move, draws=draws)

    made.__doc__ = move.__doc__
    return made
