"""Strategies that go by how often the other has defected."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.matrix.classic import Classic, Maker, plain
from econzoo.baselines.matrix.moves import C, D, Moves, Numbers, defections, lately, with_chance
from econzoo.baselines.strategy import argument

MOST = 1e6
"""Rounds of memory, at most."""


def majority(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Does what the other has done more often; given: the rounds remembered, and the move (0 or 1) at a tie."""
    remembered = min(turn, int(given[0]))
    excess = 2 * lately(theirs, turn, remembered) - remembered
    if excess == 0:
        return int(given[1])
    return D if excess > 0 else C


def doubler(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Answers a defection with one unless the other has cooperated more than twice as often as defected.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn == 0 or theirs[turn - 1] == C:
        return C
    bad = defections(theirs, 0, turn)
    return D if turn - bad <= 2 * bad else C


def short_memory(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Goes by the last ten moves if one kind leads by three, else does what the other has just done.

    It cooperates in the first eleven rounds.

    Source: "ShortMem" of Andre, Honovan, Felipe and Luis (2013), Iterated prisoner's dilemma: an extended analysis.
    """
    if turn <= 10:
        return C
    bad = lately(theirs, turn, 10)
    if 10 - 2 * bad >= 3:
        return C
    return D if 2 * bad - 10 >= 3 else theirs[turn - 1]


def average_copier(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates with the frequency of the other, at first with probability one half.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Geraint Palmer. It is fictitious play's guess (Brown 1951), imitated.
    """
    return with_chance(0.5 if turn == 0 else 1.0 - defections(theirs, 0, turn) / turn, u)


def forgiver(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects while the other has defected in more than a tenth of all rounds.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Thomas Campbell.
    """
    return D if defections(theirs, 0, turn) > turn / 10.0 else C


def forgiving_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that lets defections pass while they are no more than a tenth of all moves.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Thomas Campbell.
    """
    return theirs[turn - 1] if defections(theirs, 0, turn) > turn / 10.0 else C


def go_by_majority(spec: str = "go-by-majority", memory: Any = MOST) -> Classic:
    """Does what the other has done more often, and cooperates at a tie.

    Source: Gail Grisell's entry in the second tournament: Axelrod (1980), More effective choice in the prisoner's
    dilemma, Journal of Conflict Resolution 24, 379-403; "soft majority" of Mittal and Deb (2009).

    Args:
        spec: The spec.
        memory: Rounds that it looks back; a whole number from 1 to 1e6.
    """
    return Classic(spec, majority, (argument(spec, "memory", memory, 1.0, MOST, whole=True), float(C)))


def hard_go_by_majority(spec: str = "hard-go-by-majority", memory: Any = MOST) -> Classic:
    """Does what the other has done more often, and defects at a tie, so also at first.

    Source: Mittal and Deb (2009), Optimal strategies of the iterated prisoner's dilemma problem for multiple
    conflicting objectives, IEEE Transactions on Evolutionary Computation 13, 554-565.

    Args:
        spec: The spec.
        memory: Rounds that it looks back; a whole number from 1 to 1e6.
    """
    return Classic(spec, majority, (argument(spec, "memory", memory, 1.0, MOST, whole=True), float(D)))


FAMILY: dict[str, Maker] = {
    "go-by-majority": go_by_majority,
    "hard-go-by-majority": hard_go_by_majority,
    "doubler": plain(doubler),
    "short-memory": plain(short_memory),
    "average-copier": plain(average_copier, draws=True),
    "forgiver": plain(forgiver),
    "forgiving-tit-for-tat": plain(forgiving_tit_for_tat),
}
