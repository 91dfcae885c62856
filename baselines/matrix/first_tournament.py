"""Entries of the first computer tournament that belong to no family, and what is written down of them.

Source: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict Resolution 24, 3-25. Where the
descriptions there leave something open, they are read as the library of Knight et al. (2016) does.
"""

from __future__ import annotations

from econzoo.baselines.matrix.classic import Maker, plain
from econzoo.baselines.matrix.moves import C, D, Moves, Numbers, defections, lately, with_chance
from econzoo.baselines.matrix.tit_for_tats import tit_for_tat

NYDEGGER = (1, 6, 7, 17, 22, 23, 26, 29, 30, 31, 33, 38, 39, 45, 49, 54, 55, 58, 61)
"""Sums at which Nydegger's rule defects."""

NOT_RANDOM = 3.841458820694124
"""The 95% point of the chi-squared distribution with one degree of freedom."""


def nydegger(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat at first, then goes by a table of the last three rounds.

    In the sum 16 a1 + 4 a2 + a3 (a1: the last round), the other's defection counts 2 and the own one 1.

    Source: Rudy Nydegger's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn == 2 and theirs[0] == D and theirs[1] == C:
        return D
    if turn < 3:
        return tit_for_tat(mine, theirs, turn, horizon, u, given)
    total = 0
    for t in range(turn - 1, turn - 4, -1):
        total += (2 * theirs[t] + mine[t]) * 4 ** (t + 3 - turn)
    return D if total in NYDEGGER else C


def feld(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat whose chance of answering C with C falls to one half, evenly over 200 rounds.

    Source: Scott Feld's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn > 0 and theirs[turn - 1] == D:
        return D
    return with_chance(max(1.0 - turn * 0.5 / 200.0, 0.5), u)


def tullock(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates eleven times, then a tenth less often than the other has in the last ten rounds.

    Source: Gordon Tullock's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn < 11:
        return C
    return with_chance(0.9 - lately(theirs, turn, 10) / 10.0, u)


def stein_and_rapoport(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Four C, then tit for tat; defects while the other's moves look random, and in the last two rounds if known.

    They look random if a chi-squared test of its C against its D, made every fifteenth round, does not reject that at
    5%.

    Source: William Stein and Amnon Rapoport's entry: Axelrod (1980), Effective choice in the prisoner's dilemma,
    Journal of Conflict Resolution 24, 3-25.
    """
    if horizon - 2 <= turn < horizon:
        return D
    if turn < 4:
        return C
    tested = (turn + 1) // 15 * 15 - 1
    if tested > 0:
        uneven = tested - 2 * defections(theirs, 0, tested)
        if uneven * uneven / tested <= NOT_RANDOM:
            return D
    return theirs[turn - 1]


FAMILY: dict[str, Maker] = {
    "nydegger": plain(nydegger),
    "feld": plain(feld, draws=True),
    "tullock": plain(tullock, draws=True),
    "stein-and-rapoport": plain(stein_and_rapoport),
}
