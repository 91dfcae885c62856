"""Call the coin. Each round: nature flips, seat 0 speaks, seat 1 calls; the side is shown after the call."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, NO_FEATURE, UNKNOWN, Integer, Move, Real

SAY, HEADS, TAILS = 0, 1, 2


class Params(NamedTuple):
    """One match."""

    bias: Annotated[float, Real(0.0, 1.0), "Probability of heads."] = 0.5
    rounds: Annotated[int, Integer(1, 100), "Rounds."] = 2


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based.
        coin: 1.0 heads, 0.0 tails, UNKNOWN before the flip.
        said: Whether seat 0 has spoken in this round.
        right: Calls of seat 1 that were right.
        last: Side of the round before, or UNKNOWN.
        over: Whether the match has ended.
    """

    round: int
    coin: float
    said: bool
    right: int
    last: float
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        coin: The side, for seat 0 only; else UNKNOWN.
        last: Side of the round before, or UNKNOWN.
        right: Calls that were right.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    coin: float
    last: float
    right: int
    over: int


FEATURES = (
    "seat",
    "round / rounds",
    "the side, for the speaker, or -1",
    "side of the round before, or -1",
    "right / rounds",
)


def initial(p: Params) -> State:
    """Before the first flip."""
    return State(1, UNKNOWN, False, 0, UNKNOWN, False)


def to_act(p: Params, s: State) -> int:
    """Nature, the speaker, the caller."""
    if s.over:
        return DONE
    if s.coin == UNKNOWN:
        return CHANCE
    return 1 if s.said else 0


def chance(p: Params, s: State) -> tuple[tuple[float, float], ...]:
    """Heads or tails."""
    return (1.0, p.bias), (0.0, 1 - p.bias)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """The speaker speaks, the caller calls."""
    return seat == 0 == to_act(p, s), seat == 1 == to_act(p, s), seat == 1 == to_act(p, s)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Flips, speaks or calls."""
    kind, (amount,) = moves[0]
    if kind == CHANCE:
        return State(s.round, amount, s.said, s.right, s.last, s.over)
    if kind == SAY:
        return State(s.round, s.coin, True, s.right, s.last, s.over)
    right = s.right + int((kind == HEADS) == (s.coin == 1.0))
    last = s.round == p.rounds
    return State(s.round + (not last), UNKNOWN, False, right, s.coin, last)


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """The caller gets 1 for every right call, the speaker 1 for every wrong one."""
    wrong = s.round - (not s.over) - s.right
    return float(wrong), float(s.right)


def observe(p: Params, s: State, seat: int) -> View:
    """The side only for the speaker."""
    return View(seat, s.round, p.rounds, s.coin if seat == 0 else UNKNOWN, s.last, s.right, int(s.over))


def features(v: View) -> tuple[float, ...]:
    """The numbers that `FEATURES` describes."""
    coin, last = max(v.coin, NO_FEATURE), max(v.last, NO_FEATURE)
    return float(v.seat), v.round / v.rounds, coin, last, v.right / v.rounds
