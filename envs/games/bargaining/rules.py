"""Alternating-offer bargaining over a sum of money (Rubinstein 1982; GLEE, arXiv:2410.05254, section 2.1).

Seat 0 proposes in odd rounds, seat 1 in even rounds; the other seat answers. Each round that passes without
agreement shrinks the money of seat i by its discount factor. Pure functions of numbers: the same code runs
one game in Python and ten thousand at once when compiled (there powers need a float exponent to round the same).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract.game import NO_FEATURE, UNKNOWN, Bounds, Move
from econzoo.envs.core.contract.parameters import Flag, Real, TupleOf
from econzoo.envs.core.contract.public import PUBLIC, Public, fill_public_fields
from econzoo.envs.families.offers.protocol import END_FEATURES, end_features, proposer, to_act

OFFER, ACCEPT, REJECT = 0, 1, 2
NO_OFFER = UNKNOWN
FACTORS = TupleOf(2, Real(0.0, 1.0, is_low_excluded=True))


class Params(NamedTuple):
    """One market.

    Attributes:
        horizon: Last round in which an offer can be made, >= 1.
        horizon_known: Whether the seats are told the horizon.
    """

    money: Annotated[float, Real(0.01, 1e12), "Dollars to divide."] = 10_000.0
    delta: Annotated[tuple[float, float], FACTORS, "Discount factor per round of each seat."] = (0.9, 0.9)
    horizon: int = 12
    horizon_known: bool = True
    complete_information: Annotated[bool, Flag(), "Whether each seat knows the other's discount factor."] = True


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; odd: seat 0 proposes, even: seat 1 proposes.
        pending: Whether the proposer's offer waits for its answer.
        asked: Dollars that each seat last asked for itself; `NO_OFFER` before its first offer.
        agreed: Whether the last offer was accepted.
        over: Whether the game has ended.
    """

    round: int
    pending: bool
    asked: tuple[float, float]
    agreed: bool
    over: bool


class View(NamedTuple):
    """What one seat may know. `UNKNOWN` where it may not know, or where there is nothing yet.

    Attributes:
        seat: The seat that looks, 0 or 1.
        round: Round, 1-based.
        horizon: Last round, or UNKNOWN.
        own_delta: Own discount factor per round.
        other_delta: The other's discount factor, or UNKNOWN.
        proposing: 1 if this seat proposes in this round, else 0.
        offered: Dollars that the waiting offer gives this seat, or UNKNOWN.
        own_ask: Dollars this seat last asked for itself, or UNKNOWN.
        other_ask: Dollars the other last asked for itself, or UNKNOWN.
        over: 1 if the game has ended, else 0.
        agreed: 1 if it ended in agreement, else 0.
        own_gain: Dollars agreed for this seat before discounting, or UNKNOWN.
        own_payoff: Dollars of this seat discounted to round 1, or UNKNOWN while the game runs.
    """

    seat: int
    round: int
    horizon: float
    money: Public[float]
    own_delta: float
    other_delta: float
    proposing: int
    offered: float
    own_ask: float
    other_ask: float
    over: int
    agreed: int
    own_gain: float
    own_payoff: float


def initial(p: Params) -> State:
    """Round 1, nothing on the table."""
    return State(1, False, (NO_OFFER, NO_OFFER), False, False)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Which of offer, accept, reject the seat may choose now."""
    if seat != to_act(p, s):
        return False, False, False
    return not s.pending, s.pending, s.pending


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Dollars a proposer may ask for itself: nothing less than 0, nothing more than there is."""
    return ((0.0, p.money),)


def propose(p: Params, s: State, asked: float) -> State:
    """The proposer asks `asked` dollars for itself and leaves the rest."""
    if proposer(s) == 0:
        return State(s.round, True, (asked, s.asked[1]), False, False)
    return State(s.round, True, (s.asked[0], asked), False, False)


def answer(p: Params, s: State, accept: bool) -> State:
    """The other accepts, or the next round begins; after the last round both get nothing."""
    if accept:
        return State(s.round, False, s.asked, True, True)
    if s.round >= p.horizon:
        return State(s.round, False, s.asked, False, True)
    return State(s.round + 1, False, s.asked, False, False)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """The position after a legal move."""
    kind, values = moves[0]
    if kind == OFFER:
        return propose(p, s, values[0])
    return answer(p, s, kind == ACCEPT)


def offer_value(p: Params, s: State, seat: int) -> float:
    """Dollars that the offer of this round gives `seat`."""
    if seat == proposer(s):
        return s.asked[seat]
    return p.money - s.asked[1 - seat]


def payoff(p: Params, s: State, seat: int) -> float:
    """Dollars of one seat: delta ** (t - 1) times its share if agreed in round t, else 0 (GLEE, section 2.1)."""
    if not s.agreed:
        return 0.0
    return p.delta[seat] ** (s.round - 1.0) * offer_value(p, s, seat)


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Dollars of both seats, discounted to round 1."""
    return payoff(p, s, 0), payoff(p, s, 1)


def gains(p: Params, s: State) -> tuple[float, float]:
    """Self-gain of both seats: the payoff as a share of the money (GLEE, section 3)."""
    return payoff(p, s, 0) / p.money, payoff(p, s, 1) / p.money


@fill_public_fields
def observe(p: Params, s: State, seat: int) -> View:
    """The seat's view; the other's discount factor only under complete information, the horizon only if known."""
    other, proposing = 1 - seat, seat == proposer(s)
    return View(
        seat=seat,
        round=s.round,
        horizon=p.horizon if p.horizon_known else UNKNOWN,
        own_delta=p.delta[seat],
        other_delta=p.delta[other] if p.complete_information else UNKNOWN,
        proposing=int(proposing),
        offered=offer_value(p, s, seat) if s.pending and not proposing else UNKNOWN,
        own_ask=s.asked[seat],
        other_ask=s.asked[other],
        over=int(s.over),
        agreed=int(s.agreed),
        own_gain=offer_value(p, s, seat) if s.agreed else UNKNOWN,
        own_payoff=payoff(p, s, seat) if s.over else UNKNOWN,
        **PUBLIC,
    )


FEATURES = (
    "seat: 0 or 1",
    "whether this seat proposes in this round: 0 or 1",
    "round t as 1 - 1 / t: 0 to 1",
    "last round T as 1 / T: 0 to 1, or -1 if unknown",
    "round over last round: 0 to 1, or -1 if unknown",
    "own discount factor per round: 0 to 1",
    "other's discount factor per round: 0 to 1, or -1 if unknown",
    "own discount so far, factor ** (t - 1): 0 to 1",
    "other's discount so far, factor ** (t - 1): 0 to 1, or -1 if unknown",
    "share of the money offered to this seat: 0 to 1, or -1 if no offer waits",
    "share of the money this seat last asked for itself: 0 to 1, or -1 before it did",
    "share of the money the other last asked for itself: 0 to 1, or -1 before it did",
    *END_FEATURES,
)


def share(amount: float, money: float) -> float:
    """An amount as a share of the money, if there is one."""
    return amount / money if amount >= 0.0 else NO_FEATURE


def features(v: View) -> tuple[float, ...]:
    """The view as the numbers that `FEATURES` describes, each in [-1, 1]."""
    known = v.horizon > 0
    left, last = end_features(v)
    told = v.other_delta >= 0.0
    return (
        float(v.seat),
        float(v.proposing),
        1.0 - 1.0 / v.round,
        1.0 / v.horizon if known else NO_FEATURE,
        v.round / v.horizon if known else NO_FEATURE,
        v.own_delta,
        v.other_delta if told else NO_FEATURE,
        v.own_delta ** (v.round - 1.0),
        v.other_delta ** (v.round - 1.0) if told else NO_FEATURE,
        share(v.offered, v.money),
        share(v.own_ask, v.money),
        share(v.other_ask, v.money),
        left,
        last,
    )
