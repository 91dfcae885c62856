"""Each seat in turn sells a thing whose quality it alone knows: it speaks, then all others bid at once.

Nature draws who is next of those who have not sold yet, then whether the thing is good. The highest bid wins it (of
equal ones that of the lower seat), and is paid.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, NO_FEATURE, OPEN, SEALED, SEVERAL, UNKNOWN, Bounds, Integer, Move
from econzoo.envs.core.contract import Real, draft, put, to_tuple

SAY, BID = 0, 1

NOBODY = -1
"""Stands for the seller before it is drawn."""


class Params(NamedTuple):
    """One match."""

    players: Annotated[int, Integer(2, 9), "Seats."] = 3
    worth: Annotated[float, Real(1.0, 1e6), "What a good thing is worth to a buyer, in dollars."] = 10.0
    likely: Annotated[float, Real(0.0, 1.0), "Probability that a thing is good."] = 0.5


class State(NamedTuple):
    """A position.

    Attributes:
        round: Things sold so far, and this one.
        seller: The seat that sells, or `NOBODY` before it is drawn.
        good: 1.0 if the thing is good, 0.0 if not, UNKNOWN before it is drawn.
        claim: Place of what the seller has said among the options, UNKNOWN before.
        sold: Whether each seat has had its turn to sell.
        earned: What each seat has earned, in dollars.
        over: Whether the match has ended.
    """

    round: int
    seller: int
    good: float
    claim: float
    sold: tuple[bool, ...]
    earned: tuple[float, ...]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        seller: The seat that sells.
        good: Whether the thing is good, for its seller only; else UNKNOWN.
        claim: Place of what the seller has said among the options, UNKNOWN before.
        earned: What each seat has earned, in dollars.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    worth: float
    likely: float
    seller: int
    good: float
    claim: float
    earned: tuple[float, ...]
    over: int


FEATURES = ("seat / players", "round / players", "selling", "good, for the seller, or -1", "what was said, or -1")


def initial(p: Params) -> State:
    """Nobody has sold anything."""
    return State(1, NOBODY, UNKNOWN, UNKNOWN, tuple([False] * p.players), tuple([0.0] * p.players), False)


def to_act(p: Params, s: State) -> int:
    """Nature, the seller, the buyers."""
    if s.over:
        return DONE
    if s.good == UNKNOWN:
        return CHANCE
    return s.seller if s.claim == UNKNOWN else SEVERAL


def chance(p: Params, s: State) -> tuple[tuple[float, float], ...]:
    """Who sells next, each as likely; then whether the thing is good."""
    if s.seller == NOBODY:
        left = p.players - s.round + 1
        return tuple([(float(seat), 0.0 if s.sold[seat] else 1.0 / left) for seat in range(p.players)])
    return tuple([(side, p.likely if side else 1.0 - p.likely) for side in (1.0, 0.0)])


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """The seller speaks, the others bid."""
    ready, silent, selling = not s.over and s.good != UNKNOWN, s.claim == UNKNOWN, seat == s.seller
    return ready and silent and selling, ready and not silent and not selling


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds]:
    """Of what can be said, and of the bid."""
    return (0.0, 1.0), (0.0, p.worth)


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """A bid stays sealed."""
    return SEALED if move.kind == BID else OPEN


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Draws, speaks or sells."""
    number = moves[0].values[0]
    if moves[0].kind == CHANCE and s.seller == NOBODY:
        return State(s.round, int(number), UNKNOWN, UNKNOWN, s.sold, s.earned, False)
    if moves[0].kind == CHANCE:
        return State(s.round, s.seller, number, UNKNOWN, s.sold, s.earned, False)
    if moves[0].kind == SAY:
        return State(s.round, s.seller, s.good, number, s.sold, s.earned, False)
    return sale(p, s, moves)


def sale(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """After the bids."""
    winner, price = NOBODY, -1.0
    for seat in range(p.players):
        if moves[seat].kind == BID and moves[seat].values[0] > price:
            winner, price = seat, moves[seat].values[0]
    earned = put(draft(s.earned), s.seller, s.earned[s.seller] + price)
    earned = put(earned, winner, s.earned[winner] + p.worth * s.good - price)
    sold, last = put(draft(s.sold), s.seller, True), s.round == p.players
    return State(s.round + (not last), NOBODY, UNKNOWN, UNKNOWN, to_tuple(sold), to_tuple(earned), last)


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """What each has earned."""
    return s.earned


def gains(p: Params, s: State) -> tuple[float, ...]:
    """What each has earned, as a share of what all things are worth if they are good."""
    return tuple([earned / (p.worth * p.players) for earned in s.earned])


def observe(p: Params, s: State, seat: int) -> View:
    """Whether the thing is good only for its seller."""
    good = s.good if seat == s.seller else UNKNOWN
    return View(seat, s.round, p.worth, p.likely, s.seller, good, s.claim, s.earned, int(s.over))


def features(v: View) -> tuple[float, ...]:
    """The numbers that `FEATURES` describes."""
    seats = len(v.earned)
    good, claim = max(v.good, NO_FEATURE), max(v.claim, NO_FEATURE)
    return v.seat / seats, v.round / seats, float(int(v.seat == v.seller)), good, claim
