"""Alternating-offer bargaining over a sum of money (Rubinstein 1982; GLEE, arXiv:2410.05254, section 2.1).

Seat 0 proposes in odd rounds, seat 1 in even rounds; the other seat answers. Each round without agreement multiplies
the money of seat i by its discount factor. Pure functions of numbers: the same code runs one match in Python and
thousands in a compiled batch (powers need a float exponent to round alike in both).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import NO_FEATURE, UNKNOWN, Bounds, Flag, Move, Real, TupleOf
from econzoo.envs.families.offers import END_FEATURES, end_features, proposer, to_act

OFFER, ACCEPT, REJECT = 0, 1, 2
NO_OFFER = UNKNOWN
TOLERANCE = 1e-9
"""Share of the money up to which differences count as rounding."""
FACTORS = TupleOf(2, Real(0.0, 1.0, is_low_excluded=True))


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        horizon: Last round in which an offer can be made, >= 1.
        horizon_known: Whether the seats know the horizon.
    """

    money: Annotated[float, Real(0.01, 1e12), "Dollars to divide."] = 10_000.0
    delta: Annotated[tuple[float, float], FACTORS, "Discount factor per round of each seat."] = (0.9, 0.9)
    horizon: int = 12
    horizon_known: bool = True
    complete_information: Annotated[bool, Flag(), "Whether each seat knows the other's discount factor."] = True


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; seat 0 proposes in odd rounds, seat 1 in even ones.
        pending: Whether the proposer's offer awaits an answer.
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
    """Observation of one seat; `UNKNOWN` for hidden values, and for those that do not exist yet.

    Attributes:
        seat: The observing seat, 0 or 1.
        round: Round, 1-based.
        horizon: Last round, or UNKNOWN.
        own_delta: Own discount factor per round.
        other_delta: The other's discount factor, or UNKNOWN.
        proposing: 1 if this seat proposes in this round, else 0.
        offered: Dollars that the pending offer gives this seat, or UNKNOWN.
        own_ask: Dollars this seat last asked for itself, or UNKNOWN.
        other_ask: Dollars the other last asked for itself, or UNKNOWN.
        over: 1 if the game has ended, else 0.
        agreed: 1 if it ended in agreement, else 0.
        own_gain: Undiscounted dollars agreed for this seat, or UNKNOWN.
        own_payoff: Dollars of this seat discounted to round 1, or UNKNOWN while the game runs.
    """

    seat: int
    round: int
    horizon: float
    money: float
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
    """Round 1, without an offer."""
    return State(1, False, (NO_OFFER, NO_OFFER), False, False)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Whether offer, accept and reject are legal for the seat."""
    if seat != to_act(p, s):
        return False, False, False
    return not s.pending, s.pending, s.pending


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Dollars that a proposer may ask for itself: 0 to the money."""
    return ((0.0, p.money),)


def propose(p: Params, s: State, asked: float) -> State:
    """Return the state after the proposer asks for `asked` dollars."""
    if proposer(s) == 0:
        return State(s.round, True, (asked, s.asked[1]), False, False)
    return State(s.round, True, (s.asked[0], asked), False, False)


def answer(p: Params, s: State, accept: bool) -> State:
    """Return the state after acceptance or rejection; after the last round both get 0."""
    if accept:
        return State(s.round, False, s.asked, True, True)
    if s.round >= p.horizon:
        return State(s.round, False, s.asked, False, True)
    return State(s.round + 1, False, s.asked, False, False)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the state after a legal move."""
    kind, values = moves[0]
    if kind == OFFER:
        return propose(p, s, values[0])
    return answer(p, s, kind == ACCEPT)


def offer_value(p: Params, s: State, seat: int) -> float:
    """Dollars of a seat under the offer of this round."""
    if seat == proposer(s):
        return s.asked[seat]
    return p.money - s.asked[1 - seat]


def payoff(p: Params, s: State, seat: int) -> float:
    """Payoff of one seat: delta ** (t - 1) times its dollars if agreed in round t, else 0 (GLEE, section 2.1)."""
    if not s.agreed:
        return 0.0
    return p.delta[seat] ** (s.round - 1.0) * offer_value(p, s, seat)


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Payoffs of both seats in dollars, discounted to round 1."""
    return payoff(p, s, 0), payoff(p, s, 1)


def gains(p: Params, s: State) -> tuple[float, float]:
    """Self-gain of both seats: the payoff as a share of the money (GLEE, section 3)."""
    return payoff(p, s, 0) / p.money, payoff(p, s, 1) / p.money


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: the other's discount factor only with complete information, the horizon only if known."""
    other, proposing = 1 - seat, seat == proposer(s)
    return View(
        seat,
        s.round,
        p.horizon if p.horizon_known else UNKNOWN,
        p.money,
        p.delta[seat],
        p.delta[other] if p.complete_information else UNKNOWN,
        int(proposing),
        offer_value(p, s, seat) if s.pending and not proposing else UNKNOWN,
        s.asked[seat],
        s.asked[other],
        int(s.over),
        int(s.agreed),
        offer_value(p, s, seat) if s.agreed else UNKNOWN,
        payoff(p, s, seat) if s.over else UNKNOWN,
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
    """An amount as a share of the money, or NO_FEATURE without one."""
    return amount / money if amount >= 0.0 else NO_FEATURE


def features(v: View) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`, each in [-1, 1]."""
    known = v.horizon > 0
    left, last = end_features(v)
    delta_known = v.other_delta >= 0.0
    return (
        float(v.seat),
        float(v.proposing),
        1.0 - 1.0 / v.round,
        1.0 / v.horizon if known else NO_FEATURE,
        v.round / v.horizon if known else NO_FEATURE,
        v.own_delta,
        v.other_delta if delta_known else NO_FEATURE,
        v.own_delta ** (v.round - 1.0),
        v.other_delta ** (v.round - 1.0) if delta_known else NO_FEATURE,
        share(v.offered, v.money),
        share(v.own_ask, v.money),
        share(v.other_ask, v.money),
        left,
        last,
    )
