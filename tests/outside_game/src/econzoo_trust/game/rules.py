"""The rules of the trust game (Berg, Dickhaut and McCabe 1995): pure functions of numbers.

In each round the investor sends a part of its money, which is multiplied on its way; then the trustee gives back a part
of what arrived.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.contract import (
    DONE,
    NO_FEATURE,
    UNKNOWN,
    Bounds,
    Integer,
    Move,
    Real,
)

INVESTOR, TRUSTEE = 0, 1

SEND, GIVE_BACK = 0, 1


class Params(NamedTuple):
    """One setting."""

    money: Annotated[float, Real(0.01, 1e12), "Dollars of the investor in each round."] = 10.0
    factor: Annotated[float, Real(1.0, 100.0), "What a dollar that is sent becomes."] = 3.0
    rounds: Annotated[int, Integer(1, 1000), "Rounds to play."] = 3


class State(NamedTuple):
    """A position.

    Attributes:
        round: Round to be played, 1-based; the last one when the match is over.
        sent: Dollars that the investor sent in this round; UNKNOWN before it did.
        gained: Dollars that each seat has gained.
        over: Whether the match has ended.
    """

    round: int
    sent: float
    gained: tuple[float, float]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        sent: Dollars that the investor sent in this round, or UNKNOWN.
        arrived: Dollars that arrived at the trustee in this round, or UNKNOWN.
        gained: Dollars that each seat has gained.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    money: float
    factor: float
    sent: float
    arrived: float
    gained: tuple[float, float]
    over: int


def initial(p: Params) -> State:
    """Nothing is sent."""
    return State(1, UNKNOWN, (0.0, 0.0), False)


def to_act(p: Params, s: State) -> int:
    """The investor, then the trustee."""
    if s.over:
        return DONE
    return INVESTOR if s.sent == UNKNOWN else TRUSTEE


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """Sending, or giving back."""
    mine = seat == to_act(p, s)
    return mine and seat == INVESTOR, mine and seat == TRUSTEE


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds]:
    """The investor sends what it has at most, the trustee gives back what arrived, or can arrive, at most."""
    return (0.0, p.money), (0.0, p.factor * (p.money if s.sent == UNKNOWN else s.sent))


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """What is sent arrives; what is given back ends the round."""
    kind, values = moves[0]
    if kind == SEND:
        return State(s.round, values[0], s.gained, False)
    invested, entrusted = s.gained
    last = s.round == p.rounds
    gained = invested + p.money - s.sent + values[0], entrusted + s.sent * p.factor - values[0]
    return State(s.round + (not last), UNKNOWN, gained, last)


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Dollars."""
    return s.gained


def gains(p: Params, s: State) -> tuple[float, float]:
    """Dollars as shares of all that there is if everything is sent."""
    most = p.money * p.factor * p.rounds
    return s.gained[0] / most, s.gained[1] / most


def observe(p: Params, s: State, seat: int) -> View:
    """Everything: nothing is hidden in this game."""
    arrived = UNKNOWN if s.sent == UNKNOWN else s.sent * p.factor
    return View(seat, s.round, p.rounds, p.money, p.factor, s.sent, arrived, s.gained, int(s.over))


FEATURES = (
    "seat: 0 or 1",
    "round over the number of rounds: 0 to 1",
    "one over the factor: 0 to 1",
    "what was sent over the money: 0 to 1, or -1 before it was",
    "what the investor has gained over all that there is if everything is sent: 0 to 1",
    "what the trustee has gained over all that there is if everything is sent: 0 to 1",
)


def features(v: View) -> tuple[float, ...]:
    """The view as the numbers that `FEATURES` describes."""
    sent = v.sent / v.money if v.sent >= 0.0 else NO_FEATURE
    most = v.money * v.factor * v.rounds
    gained = min(1.0, v.gained[0] / most), min(1.0, v.gained[1] / most)
    return float(v.seat), v.round / v.rounds, 1.0 / v.factor, sent, *gained
