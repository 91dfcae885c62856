"""Matching pennies over a fixed number of rounds; both seats always move."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, NO_FEATURE, SEVERAL, UNKNOWN, Integer, Move

HEADS, TAILS = 0, 1


class Params(NamedTuple):
    """One match."""

    rounds: Annotated[int, Integer(1, 100), "Rounds."] = 3


class State(NamedTuple):
    """A position.

    Attributes:
        round: Round to be played, 1-based; the last one when the match is over.
        shown: Sides of the last round, UNKNOWN before the first.
        wins: Rounds won by each seat.
        over: Whether the match has ended.
    """

    round: int
    shown: tuple[float, float]
    wins: tuple[int, int]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        other_shown: Side that the other showed last, or UNKNOWN.
        own_wins: Rounds won.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    other_shown: float
    own_wins: int
    over: int


FEATURES = ("seat", "round / rounds", "side the other showed last, or -1", "own wins / rounds")


def initial(p: Params) -> State:
    """Before the first round."""
    return State(1, (UNKNOWN, UNKNOWN), (0, 0), False)


def to_act(p: Params, s: State) -> int:
    """Both, until the end."""
    return DONE if s.over else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """Heads or tails."""
    return not s.over, not s.over


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Seat 0 wins if the sides match."""
    first, second = moves[0].kind, moves[1].kind
    match = int(first == second)
    last = s.round == p.rounds
    return State(s.round + (not last), (first, second), (s.wins[0] + match, s.wins[1] + 1 - match), last)


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Rounds won."""
    return float(s.wins[0]), float(s.wins[1])


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but the sides of the round that is being played."""
    return View(seat, s.round, p.rounds, s.shown[1 - seat], s.wins[seat], int(s.over))


def features(v: View) -> tuple[float, ...]:
    """The numbers that `FEATURES` describes."""
    return float(v.seat), v.round / v.rounds, max(float(v.other_shown), NO_FEATURE), v.own_wins / v.rounds
