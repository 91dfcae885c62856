"""What all strategies of repeated 2x2 games are made of, and how one sits at the table (`Classic`).

A strategy is a pure function of the two histories, with the same arguments for all:

    def tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int

``mine`` and ``theirs`` are the moves so far, 0 for `C` and 1 for `D`, of which the first ``turn`` count; ``turn`` is
the number of rounds played before this one; ``horizon`` is the number of rounds of the match, or `HIDDEN`; ``u`` is a
uniform number in [0, 1) of this turn, the player's own; ``given`` are the strategy's numbers (`Numbers`), the same in
all turns. The function gives the move.

Nothing is kept between turns: what a strategy has to remember, it finds again in the histories. So it can be asked
about any history, sees moves as they were made where hands tremble, and compiles as it stands
(`econzoo.evaluate.analyses.dilemmas`): numbers, loops, tuples and calls of such functions, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import round_generator
from econzoo.envs.core.contract import moves
from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.envs.core.contract.scripts import ZERO_UNIFORMS, MoveFunction, Script, StrategyMemory, UniformPair
from econzoo.envs.games.matrix.rules import C, D, Params, View

Moves: TypeAlias = Sequence[int]
Numbers: TypeAlias = Sequence[float]

HIDDEN = -1
"""Horizon of a match whose length the players are not told."""


class Payoffs(NamedTuple):
    """Points of one player in a round, its own move named first."""

    cc: float
    cd: float
    dc: float
    dd: float


STANDARD = Payoffs(3.0, 0.0, 5.0, 1.0)
"""The prisoner's dilemma of Axelrod (1980)."""


def dilemma(payoffs: Payoffs) -> Payoffs:
    """The payoffs if they are a prisoner's dilemma, else `STANDARD`.

    For strategies whose formulas are about the dilemma only. A dilemma: temptation above reward above punishment above
    the sucker's payoff, and taking turns in exploiting each other pays less than cooperation (Rapoport and Chammah
    1965).
    """
    ordered = payoffs.dc > payoffs.cc > payoffs.dd > payoffs.cd
    return payoffs if ordered and 2.0 * payoffs.cc > payoffs.dc + payoffs.cd else STANDARD


def defections(moves: Moves, start: int, stop: int) -> int:
    """How often D was played in the rounds from ``start`` to ``stop`` - 1, counted from 0."""
    return sum(moves[start:stop])


def recent_defections(moves: Moves, turn: int, rounds: int) -> int:
    """How often D was played in the last rounds before ``turn``, or in all if there were fewer."""
    return defections(moves, max(0, turn - rounds), turn)


def cooperate_with_probability(p: float, u: float) -> int:
    """C with probability p."""
    return C if u < p else D


Move: TypeAlias = Callable[[Moves, Moves, int, int, float, Numbers], int]
"""A strategy's function; see the module."""

Fit: TypeAlias = Callable[[Payoffs, Numbers], Numbers]
"""How a strategy's numbers follow from its payoffs and arguments."""

Maker: TypeAlias = Callable[..., "Classic"]


def ignore_payoffs(payoffs: Payoffs, x: Numbers) -> Numbers:
    """The arguments, whatever the payoffs."""
    return x


def blank_histories(p: Params) -> tuple[float, ...]:
    """Room for the moves of both."""
    return (0.0,) * (2 * p.rounds)


def note(v: View, past: StrategyMemory) -> None:
    """Writes down the round before: whole numbers, in the place of floats, so that they are found as they are."""
    if v.round > 1:
        whole, half = past.view(np.int64), len(past) // 2
        whole[v.round - 2] = int(v.last_own)
        whole[half + v.round - 2] = int(v.last_other)


@lru_cache(maxsize=256)
def mover(move: Move, fit: Fit) -> MoveFunction:
    """How a strategy moves where its histories are arrays."""

    def decide_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> moves.Move:
        whole, half = past.view(np.int64), len(past) // 2
        horizon, given = HIDDEN if v.rounds == UNKNOWN else int(v.rounds), fit(Payoffs(v.cc, v.cd, v.dc, v.dd), x)
        return moves.Move(int(move(whole[:half], whole[half:], v.round - 1, horizon, u[0], given)), (0.0,))

    return decide_move


class Classic(Player):
    """Plays a strategy of repeated 2x2 games, C and D as the strategy has them whatever they are called in the game.

    Args:
        spec: The spec.
        move: The strategy's function.
        arguments: Its arguments.
        fit: How its numbers follow from the seat's payoffs and these.
        is_random: Whether it draws lots.
    """

    def __init__(
        self,
        spec: str,
        move: Move,
        arguments: tuple[float, ...] = (),
        fit: Fit = ignore_payoffs,
        *,
        is_random: bool = False,
    ) -> None:
        super().__init__(spec)
        self.move, self.arguments, self.fit, self.deterministic = move, arguments, fit, not is_random

    @property
    def script(self) -> Script:
        """The strategy where its histories are arrays."""
        return Script(mover(self.move, self.fit), self.arguments, blank_histories, note)

    def numbers(self, payoffs: Payoffs) -> Numbers:
        """The numbers of the strategy in a game with these payoffs."""
        return self.fit(payoffs, self.arguments)

    def random_numbers(self, round: int) -> UniformPair:
        """Its luck of a round, of which one number counts."""
        return ZERO_UNIFORMS if self.deterministic else (round_generator(self.seed, round - 1).random(), 0.0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Forgets the match before."""
        self.seed = seed
        self.mine, self.theirs = bytearray(), bytearray()
        view = info.view
        self.fitted_numbers = self.numbers(Payoffs(view.cc, view.cd, view.dc, view.dd))

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """The strategy's move after the rounds played."""
        turn = observation["round"] - 1
        if turn > len(self.mine):
            self.mine.append(int(observation["last_own"]))
            self.theirs.append(int(observation["last_other"]))
        horizon = HIDDEN if observation["rounds"] is None else int(observation["rounds"])
        chosen = self.move(self.mine, self.theirs, turn, horizon, self.random_numbers(turn + 1)[0], self.fitted_numbers)
        return {"kind": "CD"[chosen]}


def make_without_arguments(move: Move, *, is_random: bool = False) -> Maker:
    """Makes players of a strategy without numbers."""

    def make_strategy(spec: str) -> Classic:
        return Classic(spec, move, is_random=is_random)

    make_strategy.__doc__ = move.__doc__
    return make_strategy
