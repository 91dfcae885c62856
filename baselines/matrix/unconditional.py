"""Strategies that ignore the opponent's moves."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import Classic, Maker, Moves, Numbers, cooperate_with_probability
from econzoo.baselines.matrix.classic import make_without_arguments
from econzoo.envs.core.contract import short_repr
from econzoo.envs.games.matrix.rules import C, D

MAX_CYCLE = 100
"""Maximum length of a cycle."""


def cooperator(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Always cooperates.

    Source: Axelrod (1984), The evolution of cooperation; "ALL C".
    """
    return C


def defector(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Always defects: the equilibrium of the one-shot and the finitely repeated dilemma.

    Source: Axelrod (1984), The evolution of cooperation; "ALL D"; Luce and Raiffa (1957), Games and decisions, ch. 5.
    """
    return D


def cycle(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Repeats a cycle of moves; given: its length, and the moves."""
    return int(given[1 + turn % int(given[0])])


def mix(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates with the same probability in every round; given: the probability."""
    return cooperate_with_probability(given[0], u)


def worse_and_worse(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects in round t with probability t / 1000.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    return cooperate_with_probability(1.0 - (turn + 1) / 1000, u)


def better_and_better(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates in round t with probability t / 1000.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    return cooperate_with_probability((turn + 1) / 1000, u)


def cycler(spec: str = "cycler", moves: Any = "CCD") -> Classic:
    """Repeats a cycle of moves, whatever the opponent does.

    Source: Mittal and Deb (2009), Optimal strategies of the iterated prisoner's dilemma problem for multiple
    conflicting objectives, IEEE Transactions on Evolutionary Computation 13: "periodic players" CCD and DDC.

    Args:
        moves: 1 to 100 letters C and D.
    """
    if not isinstance(moves, str) or not 1 <= len(moves) <= MAX_CYCLE or set(moves) - {"C", "D"}:
        expected = f"1 to {MAX_CYCLE} letters C and D in quotes"
        raise ValueError(f"player {spec[:80]!r}: invalid moves={short_repr(moves)}: expected {expected}")
    return Classic(spec, cycle, (float(len(moves)), *(float("CD".index(letter)) for letter in moves)))


def alternator(spec: str = "alternator") -> Classic:
    """Alternates C and D, starting with C.

    Source: Axelrod (1984), The evolution of cooperation; "periodic player CD" of Mittal and Deb (2009).
    """
    return cycler(spec, "CD")


def mixed(spec: str = "mixed", p: Any = 0.5) -> Classic:
    """Cooperates with the same probability in every round; RANDOM for one half.

    Source: RANDOM of Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict Resolution 24,
    3-25.

    Args:
        p: Probability of C; from 0 to 1.
    """
    p = argument(spec, "p", p, 0.0, 1.0)
    return Classic(spec, mix, (p,), is_random=0.0 < p < 1.0)


FAMILY: dict[str, Maker] = {
    "cooperator": make_without_arguments(cooperator),
    "defector": make_without_arguments(defector),
    "alternator": alternator,
    "cycler": cycler,
    "mixed": mixed,
    "worse-and-worse": make_without_arguments(worse_and_worse, is_random=True),
    "better-and-better": make_without_arguments(better_and_better, is_random=True),
}
