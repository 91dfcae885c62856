"""Dividing several kinds of item by alternating offers; an offer says how many of each kind the proposer keeps."""

from __future__ import annotations

from typing import NamedTuple

from econzoo.envs.core.contract import Bounds, Move
from econzoo.envs.families.offers import proposer as proposer  # noqa: PLC0414
from econzoo.envs.families.offers import to_act as to_act  # noqa: PLC0414

OFFER, ACCEPT, REJECT = 0, 1, 2

REFUSALS = ("an offer must leave at least one item to the other",)

MOST = 5
"""Items of one kind, and the scale of their features."""

MOST_WORTH = 10
"""What an item can be worth."""


class Params(NamedTuple):
    """One match.

    Attributes:
        items: How many items there are of each kind, >= 1.
        worth: What an item of each kind is worth to each seat, in points.
        horizon: Offers that can be made, >= 1.
    """

    items: tuple[int, ...]
    worth: tuple[tuple[int, ...], tuple[int, ...]]
    horizon: int


class State(NamedTuple):
    """A position.

    Attributes:
        round: Offer to be made or answered, 1-based.
        pending: Whether an offer waits for its answer.
        kept: How many of each kind the proposer keeps by the last offer; -1 before the first.
        agreed: Whether the last offer was accepted.
        over: Whether the match has ended.
    """

    round: int
    pending: bool
    kept: tuple[float, ...]
    agreed: bool
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        horizon: Offers that can be made.
        items: How many items there are of each kind.
        own_worth: What an item of each kind is worth to this seat, in points.
        proposing: 1 if this seat makes the offer of this round, else 0.
        pending: 1 if an offer waits for its answer, else 0.
        own_items: How many of each kind this seat gets by the last offer; -1 before the first.
        agreed: 1 if the last offer was accepted, else 0.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    horizon: int
    items: tuple[int, ...]
    own_worth: tuple[int, ...]
    proposing: int
    pending: int
    own_items: tuple[float, ...]
    agreed: int
    over: int


def initial(p: Params) -> State:
    """Before the first offer."""
    return State(1, False, tuple([-1.0 for _ in p.items]), False, False)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """An offer, or an answer to one."""
    mine = seat == to_act(p, s)
    return mine and not s.pending, mine and s.pending, mine and s.pending


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, ...]:
    """From none to all of each kind."""
    return tuple([(0.0, float(number)) for number in p.items])


def refuses(p: Params, s: State, seat: int, move: Move) -> int:
    """An offer of nothing is none."""
    left = 0.0
    for k in range(len(p.items)):
        left += p.items[k] - move.values[k]
    return int(move.kind == OFFER and left < 1.0)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """An offer waits, an accepted one ends the match, and a rejected one the round."""
    kind, values = moves[0]
    if kind == OFFER:
        return State(s.round, True, values, False, False)
    last = kind == ACCEPT or s.round == p.horizon
    return State(s.round + (not last), False, s.kept, kind == ACCEPT, last)


def share(p: Params, s: State, seat: int, k: int) -> float:
    """How many items of a kind a seat gets by the last offer."""
    return s.kept[k] if seat == proposer(s) else p.items[k] - s.kept[k]


def points(p: Params, s: State, seat: int) -> float:
    """What a seat's items are worth to it; nothing without an agreement."""
    total = 0.0
    for k in range(len(p.items)):
        total += p.worth[seat][k] * share(p, s, seat, k) * s.agreed
    return total


def most(p: Params, seat: int) -> float:
    """What all items are worth to a seat."""
    total = 0.0
    for k in range(len(p.items)):
        total += p.worth[seat][k] * p.items[k]
    return total


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Points."""
    return points(p, s, 0), points(p, s, 1)


def gains(p: Params, s: State) -> tuple[float, float]:
    """Points as shares of what all items are worth to the seat."""
    return points(p, s, 0) / most(p, 0), points(p, s, 1) / most(p, 1)


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but what the items are worth to the other."""
    mine = int(seat == proposer(s))
    offered = tuple([share(p, s, seat, k) if s.kept[k] >= 0.0 else -1.0 for k in range(len(p.items))])
    told = mine, int(s.pending), offered, int(s.agreed), int(s.over)
    return View(seat, s.round, p.horizon, p.items, p.worth[seat], *told)


def feature_names(p: Params) -> tuple[str, ...]:
    """A few words for each number of `features`."""
    kinds = range(1, len(p.items) + 1)
    own = [f"{what} of kind {k}" for k in kinds for what in ("items / 5", "worth / 10", "offered to this seat / 5")]
    return ("seat", "round / horizon", "proposing", "pending", *own)


def features(v: View) -> tuple[float, ...]:
    """The numbers that `feature_names` describes."""
    numbers = [float(v.seat), v.round / v.horizon, float(v.proposing), float(v.pending)]
    for k in range(len(v.items)):
        numbers.append(v.items[k] / MOST)
        numbers.append(v.own_worth[k] / MOST_WORTH)
        numbers.append(max(-1.0, v.own_items[k] / MOST) if v.own_items[k] >= 0.0 else -1.0)
    return tuple(numbers)
