"""Matches of two strategies: the loop over the rounds, for plain Python and for machine code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.baselines.matrix.classic import Move, Numbers


def match(
    first: Move,
    second: Move,
    given_first: Numbers,
    given_second: Numbers,
    lots: Sequence[Sequence[float]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
) -> tuple[int, int, int, int]:
    """One match.

    Args:
        first: Strategy of the first player.
        second: Strategy of the second.
        given_first: Numbers of the first strategy.
        given_second: Numbers of the second.
        lots: Uniform numbers of each round: of the first and of the second player, and with noise two more, which say
            whose hand trembles.
        turns: Rounds.
        horizon: Rounds as the players know them.
        noise: Probability that a move comes out as the other one.
        mine: Room for the moves of the first player; what was there before does not matter.
        theirs: Room for the moves of the second.

    Returns:
        In how many rounds the outcome was CC, CD, DC and DD, the first player's move named first.
    """
    cc, cd, dc, dd = 0, 0, 0, 0
    for turn in range(turns):
        drawn = lots[turn]
        one = first(mine, theirs, turn, horizon, drawn[0], given_first)
        other = second(theirs, mine, turn, horizon, drawn[1], given_second)
        if noise > 0.0:
            one = 1 - one if drawn[2] < noise else one
            other = 1 - other if drawn[3] < noise else other
        mine[turn], theirs[turn] = one, other
        cc += (1 - one) * (1 - other)
        cd += (1 - one) * other
        dc += one * (1 - other)
        dd += one * other
    return cc, cd, dc, dd


def matches(
    strategies: Sequence[Move],
    given: Sequence[Numbers],
    who: Sequence[Sequence[int]],
    lots: Sequence[Sequence[Sequence[float]]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
    outcomes: Any,
) -> None:
    """Many matches, one after the other; ``who`` plays in each, and its result goes to its row of ``outcomes``."""
    for k in range(len(who)):
        i, j = who[k][0], who[k][1]
        told = match(strategies[i], strategies[j], given[i], given[j], lots[k], turns, horizon, noise, mine, theirs)
        outcomes[k][0], outcomes[k][1], outcomes[k][2], outcomes[k][3] = told
