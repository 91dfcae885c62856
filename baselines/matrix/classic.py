"""Strategies of repeated 2x2 games as pure functions, and their player class (`Classic`).

A strategy is a pure function of the two histories, with the same arguments for all:

    def tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int

``mine`` and ``theirs`` are the moves so far, 0 for `C` and 1 for `D`, of which the first ``turn`` count; ``turn`` is
the number of rounds played; ``horizon`` is the number of rounds of the match, or `HIDDEN`; ``u`` is the player's
uniform random number in [0, 1) of this turn; ``given`` are the strategy's constant parameters (`Numbers`). The function
returns the move.

Strategies are stateless and recompute their memory from the histories. So they apply to any history, see executed
moves under trembles, and compile (`econzoo.evaluate.analyses.dilemmas`), since they only use numbers, loops, tuples and
calls of such functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from econzoo.baselines import Player, round_generator
from econzoo.envs.core.contract import UNKNOWN, ZERO_UNIFORMS, MoveFunction, Script, StrategyMemory, UniformPair, moves
from econzoo.envs.games.matrix.rules import C, D, Params, View
from econzoo.wrappers import SeatInfo

Moves: TypeAlias = Sequence[int]
Numbers: TypeAlias = Sequence[float]

HIDDEN = -1
"""Horizon of a match of undisclosed length."""


class Payoffs(NamedTuple):
    """Points of one player in a round, its own move first."""

    cc: float
    cd: float
    dc: float
    dd: float


STANDARD = Payoffs(3.0, 0.0, 5.0, 1.0)
"""The prisoner's dilemma of Axelrod (1980)."""


def dilemma(payoffs: Payoffs) -> Payoffs:
    """Return the payoffs if they form a prisoner's dilemma, else `STANDARD`.

    For strategies whose formulas assume a dilemma: temptation above reward above punishment above
    the sucker's payoff, and taking turns in exploiting each other pays less than cooperation (Rapoport and Chammah
    1965).
    """
    ordered = payoffs.dc > payoffs.cc > payoffs.dd > payoffs.cd
    return payoffs if ordered and 2.0 * payoffs.cc > payoffs.dc + payoffs.cd else STANDARD


def defections(moves: Moves, start: int, stop: int) -> int:
    """Count D in the rounds from ``start`` to ``stop`` - 1, from 0."""
    return sum(moves[start:stop])


def recent_defections(moves: Moves, turn: int, rounds: int) -> int:
    """Count D in at most `rounds` rounds before ``turn``."""
    return defections(moves, max(0, turn - rounds), turn)


def cooperate_with_probability(p: float, u: float) -> int:
    """Return C with probability p."""
    return C if u < p else D


Move: TypeAlias = Callable[[Moves, Moves, int, int, float, Numbers], int]
"""A strategy's function; see the module."""

Fit: TypeAlias = Callable[[Payoffs, Numbers], Numbers]
"""Maps payoffs and arguments to a strategy's numbers."""

Maker: TypeAlias = Callable[..., "Classic"]


def ignore_payoffs(payoffs: Payoffs, x: Numbers) -> Numbers:
    """Return the arguments, regardless of payoffs."""
    return x


def blank_histories(p: Params) -> tuple[float, ...]:
    """Return empty histories of both players."""
    return (0.0,) * (2 * p.rounds)


def note(v: View, past: StrategyMemory) -> None:
    """Store the moves of the previous round, as integers in the memory of the floats."""
    if v.round > 1:
        integers, half = past.view(np.int64), len(past) // 2
        integers[v.round - 2] = int(v.last_own)
        integers[half + v.round - 2] = int(v.last_other)


# Compiled loops are found again by their functions, so that equal strategies must share one.
@lru_cache(maxsize=256)
def mover(move: Move, fit: Fit) -> MoveFunction:
    """Return the move function of a strategy on arrays."""

    def decide_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> moves.Move:
        integers, half = past.view(np.int64), len(past) // 2
        horizon, given = HIDDEN if v.rounds == UNKNOWN else int(v.rounds), fit(Payoffs(v.cc, v.cd, v.dc, v.dd), x)
        return moves.Move(int(move(integers[:half], integers[half:], v.round - 1, horizon, u[0], given)), (0.0,))

    return decide_move


class Classic(Player):
    """Plays a strategy of repeated 2x2 games; C and D are the first and second move of any game."""

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
        """The strategy on arrays."""
        return Script(mover(self.move, self.fit), self.arguments, blank_histories, note)

    def numbers(self, payoffs: Payoffs) -> Numbers:
        """Return the strategy's numbers in a game with these payoffs."""
        return self.fit(payoffs, self.arguments)

    def random_numbers(self, round: int) -> UniformPair:
        """Return the uniform numbers of a round, of which the first is used."""
        return ZERO_UNIFORMS if self.deterministic else (round_generator(self.seed, round - 1).random(), 0.0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.seed = seed
        self.mine, self.theirs = bytearray(), bytearray()
        view = info.view
        self.fitted_numbers = self.numbers(Payoffs(view.cc, view.cd, view.dc, view.dd))

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the strategy's move after the rounds played."""
        turn = observation["round"] - 1
        # A retry in the same round has the same histories.
        if turn > len(self.mine):
            self.mine.append(int(observation["last_own"]))
            self.theirs.append(int(observation["last_other"]))
        horizon = HIDDEN if observation["rounds"] is None else int(observation["rounds"])
        chosen = self.move(self.mine, self.theirs, turn, horizon, self.random_numbers(turn + 1)[0], self.fitted_numbers)
        return {"kind": "CD"[chosen]}


def make_without_arguments(move: Move, *, is_random: bool = False) -> Maker:
    """Return a factory of players of a strategy without arguments."""

    def make_strategy(spec: str) -> Classic:
        return Classic(spec, move, is_random=is_random)

    make_strategy.__doc__ = move.__doc__
    return make_strategy
