"""A strategy of `econzoo.baselines.matrix` as a player at the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from econzoo.baselines.matrix.moves import HIDDEN, Moves, Numbers, Payoffs
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import draw

Move: TypeAlias = Callable[[Moves, Moves, int, int, float, Numbers], int]
"""A strategy's function, as in `econzoo.baselines.matrix.moves`."""

Given: TypeAlias = tuple[float, ...] | Callable[[Payoffs], tuple[float, ...]]
"""A strategy's numbers, or how they follow from its payoffs."""

Maker: TypeAlias = Callable[..., "Classic"]


class Classic(Player):
    """Plays a strategy of repeated 2x2 games, C and D as the strategy has them whatever they are called in the game.

    Args:
        spec: The spec.
        move: The strategy's function.
        given: Its numbers, or a function that makes them from the seat's payoffs.
        draws: Whether it draws lots.
    """

    def __init__(self, spec: str, move: Move, given: Given = (), *, draws: bool = False) -> None:
        super().__init__(spec)
        self.move, self.given, self.deterministic = move, given, not draws

    def numbers(self, payoffs: Payoffs) -> tuple[float, ...]:
        """The numbers of the strategy in a game with these payoffs."""
        return self.given(payoffs) if callable(self.given) else self.given

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
        u = 0.0 if self.deterministic else draw(self.seed, turn).random()
        chosen = self.move(self.mine, self.theirs, turn, horizon, u, self.fitted)
        return {"kind": "CD"[chosen]}


def plain(move: Move, *, draws: bool = False) -> Maker:
    """Makes players of a strategy without numbers."""

    def made(spec: str) -> Classic:
        return Classic(spec, move, draws=draws)

    made.__doc__ = move.__doc__
    return made
