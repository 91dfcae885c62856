"""What all strategies of repeated 2x2 games are made of.

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

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from econzoo.envs.games.matrix.rules import C, D

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


def lately(moves: Moves, turn: int, rounds: int) -> int:
    """How often D was played in the last rounds before ``turn``, or in all if there were fewer."""
    return defections(moves, max(0, turn - rounds), turn)


def with_chance(p: float, u: float) -> int:
    """C with probability p."""
    return C if u < p else D
