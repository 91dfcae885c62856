"""Strategies with an opening that probes the opponent's type."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import Classic, Maker, Moves, Numbers, cooperate_with_probability, defections
from econzoo.baselines.matrix.classic import make_without_arguments
from econzoo.envs.games.matrix.rules import C, D


def handshake(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with C, D; cooperates forever if the opponent did the same, else defects forever.

    Source: Robson (1990), Efficiency in evolutionary games: Darwin, Nash and the secret handshake, Journal of
    Theoretical Biology 144, 379-396.
    """
    if turn < 2:
        return turn
    return C if theirs[0] == C and theirs[1] == D else D


def collective(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Handshake that stops cooperating after a later defection.

    Source: Li and Kendall (2009), A strategy with novel evolutionary features for the iterated prisoner's dilemma,
    Evolutionary Computation 17, 257-274.
    """
    return D if defections(theirs, 0, turn) > 1 else handshake(mine, theirs, turn, horizon, u, given)


def prober(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with D, C, C; defects forever if the opponent played C in rounds 2 and 3, else tit for tat.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, LIFL, Lille; Li, Hingston and Kendall (2011), Engineering
    design of strategies for winning iterated prisoner's dilemma competitions.
    """
    if turn < 3:
        return D if turn == 0 else C
    return D if defections(theirs, 1, 3) == 0 else theirs[turn - 1]


def prober_2(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with D, C, C; cooperates forever if the opponent played D, C in rounds 2 and 3, else tit for tat.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn < 3:
        return D if turn == 0 else C
    return C if theirs[1] == D and theirs[2] == C else theirs[turn - 1]


def prober_3(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with D, C; defects forever if the opponent played C in round 2, else tit for tat.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn < 2:
        return D if turn == 0 else C
    return D if theirs[1] == C else theirs[turn - 1]


def hard_prober(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with D, D, C, C; defects forever if the opponent played C in rounds 2 and 3, else tit for tat.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn < 4:
        return D if turn < 2 else C
    return D if defections(theirs, 1, 3) == 0 else theirs[turn - 1]


def detective(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with C, D, C, C; tit for tat if the opponent has defected by then, else always defects.

    Source: Case (2017), The evolution of trust, an interactive essay.
    """
    if turn < 4:
        return D if turn == 1 else C
    return D if defections(theirs, 0, 4) == 0 else theirs[turn - 1]


def gradual_killer(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with five D and two C; defects forever if the opponent played D in rounds 6 and 7, else cooperates forever.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn < 7:
        return D if turn < 5 else C
    return D if defections(theirs, 5, 7) == 2 else C


def tester(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with D; apologises and plays tit for tat if the opponent retaliates, else alternates C and D.

    Source: David Gladstein's entry in the second tournament: Axelrod (1980), More effective choice in the prisoner's
    dilemma, Journal of Conflict Resolution 24, 379-403.
    """
    bad = defections(theirs, 0, turn)
    if bad > 0:
        return C if bad == 1 and theirs[turn - 1] == D else theirs[turn - 1]
    if turn < 3:
        return D if turn == 0 else C
    return 1 - mine[turn - 1]


def remorse(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat with occasional defections whose retaliation it accepts; given: their probability."""
    if turn == 0:
        return C
    if theirs[turn - 1] == D:
        tried = turn > 1 and mine[turn - 1] == D and theirs[turn - 2] == C
        return C if tried else D
    return cooperate_with_probability(1.0 - given[0], u)


def remorseful_prober(spec: str = "remorseful-prober", p: Any = 0.1) -> Classic:
    """Tit for tat with occasional defections; it accepts the retaliation to them.

    Source: Dawkins (1989), The selfish gene, chapter 12; Li, Hingston and Kendall (2011), Engineering design of
    strategies for winning iterated prisoner's dilemma competitions.

    Args:
        p: Probability of D after the opponent's C; from 0 to 1.
    """
    p = argument(spec, "p", p, 0.0, 1.0)
    return Classic(spec, remorse, (p,), is_random=0.0 < p < 1.0)


FAMILY: dict[str, Maker] = {
    "handshake": make_without_arguments(handshake),
    "collective": make_without_arguments(collective),
    "prober": make_without_arguments(prober),
    "prober-2": make_without_arguments(prober_2),
    "prober-3": make_without_arguments(prober_3),
    "hard-prober": make_without_arguments(hard_prober),
    "detective": make_without_arguments(detective),
    "gradual-killer": make_without_arguments(gradual_killer),
    "tester": make_without_arguments(tester),
    "remorseful-prober": remorseful_prober,
}
