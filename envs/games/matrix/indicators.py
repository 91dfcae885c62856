"""Indicators of one match: how often players cooperated, and after what.

A match is the list of its rounds, each a pair of moves as they came out, the row seat's first: 0 is C, 1 is D.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from econzoo.envs.games.matrix.rules import C, State

Rounds = Sequence[tuple[int, int]]


def cooperation_rate(rounds: Rounds, seat: int) -> float:
    """Share of the rounds in which a seat played C, in [0, 1]; NaN if there was none."""
    return _share([moves[seat] == C for moves in rounds])


def mutual_cooperation_rate(rounds: Rounds) -> float:
    """Share of the rounds in which both played C, in [0, 1]; NaN if there was none."""
    return _share([moves == (C, C) for moves in map(tuple, rounds)])


def cooperation_after(rounds: Rounds, seat: int) -> tuple[float, float, float, float]:
    """Share of C after CC, CD, DC and DD, the seat's own move first: the memory-one strategy that it looks like.

    Returns:
        Four numbers in [0, 1]; NaN after what never happened.
    """
    after: dict[tuple[int, int], list[bool]] = {(own, other): [] for own in (0, 1) for other in (0, 1)}
    for before, now in pairwise(rounds):
        after[before[seat], before[1 - seat]].append(now[seat] == C)
    cc, cd, dc, dd = map(_share, after.values())
    return cc, cd, dc, dd


def cooperation_rates(s: State) -> tuple[float, float]:
    """`cooperation_rate` of both seats of a position; NaN before the first round is over."""
    played = s.cc + s.cd + s.dc + s.dd
    return ((s.cc + s.cd) / played, (s.cc + s.dc) / played) if played else (math.nan, math.nan)


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else math.nan
