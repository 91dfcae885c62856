"""Negotiation over the price of one good (GLEE, arXiv:2410.05254, section 2.2).

Seat 0 sells, seat 1 buys. The seller posts a price in odd rounds, the buyer in even rounds; the other seat accepts,
rejects or opts out, that is, trades elsewhere at its own value. There is no discounting. Pure functions of numbers: the
same code runs one match in Python and thousands in a compiled batch.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import NO_FEATURE, UNKNOWN, Bounds, Flag, Move, Real
from econzoo.envs.families.offers import END_FEATURES, end_features, proposer, to_act

OFFER, ACCEPT, REJECT, OPT_OUT = 0, 1, 2, 3
SELLER, BUYER = 0, 1
NOBODY = -1

BOUND = 2.0
UNBOUNDED_PRICES = (-1e15, 1e15)
"""Range of prices without a bound, as in GLEE, in dollars; below 0 the buyer is paid."""

TOLERANCE = 1e-9
"""Share of the larger of scale and values below which a difference of prices counts as rounding."""


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        value: Value of the good to the seller and to the buyer in dollars, >= 0.
        horizon: Last round in which a price can be posted, >= 1.
        horizon_known: Whether the seats know the horizon.
        bound: See `price_range`; 0: none.
    """

    money: Annotated[float, Real(0.01, 1e9), "Scale of values and prices in dollars."] = 10_000.0
    value: tuple[float, float] = (10_000.0, 12_000.0)
    horizon: int = 10
    horizon_known: bool = True
    complete_information: Annotated[bool, Flag(), "Whether each seat knows the other's value."] = True
    outside_option: Annotated[
        bool, Flag(), "Whether the responder has an outside option: a trade elsewhere at its own value."
    ] = True
    bound: float = BOUND


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; odd: the seller posts, even: the buyer.
        pending: Whether the posted price waits for its answer.
        price: Dollars that each seat last posted; UNKNOWN before its first price.
        agreed: Whether the last price was accepted.
        left: The seat that opted out, or `NOBODY`.
        over: Whether the game has ended.
    """

    round: int
    pending: bool
    price: tuple[float, float]
    agreed: bool
    left: int
    over: bool


class View(NamedTuple):
    """Observation of one seat; `UNKNOWN` for hidden values, and for those that do not exist yet.

    Attributes:
        seat: The observing seat: 0 sells, 1 buys.
        round: Round, 1-based.
        horizon: Last round, or UNKNOWN.
        own_value: Value of the good to this seat in dollars.
        other_value: Value of the good to the other in dollars, or UNKNOWN.
        outside_option: 1 if the responder may opt out, else 0.
        proposing: 1 if this seat posts the price of this round, else 0.
        offered: The price that waits for this seat's answer, or UNKNOWN.
        own_price: Price that this seat last posted, or UNKNOWN.
        other_price: Price that the other last posted, or UNKNOWN.
        over: 1 if the game has ended, else 0.
        agreed: 1 if it ended with a trade, else 0.
        left: The seat that opted out, or -1.
        traded_at: Price of the trade, or UNKNOWN.
        own_payoff: Dollars won over the own value, or UNKNOWN while the game runs.
        bound: Bound of prices, see `price_range`; 0 for none.
    """

    seat: int
    round: int
    horizon: float
    money: float
    own_value: float
    other_value: float
    outside_option: int
    proposing: int
    offered: float
    own_price: float
    other_price: float
    over: int
    agreed: int
    left: int
    traded_at: float
    own_payoff: float
    bound: float


def initial(p: Params) -> State:
    """Round 1, no price posted."""
    return State(1, False, (UNKNOWN, UNKNOWN), False, NOBODY, False)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool, bool]:
    """Whether offer, accept, reject and opt out are legal for the seat."""
    if seat != to_act(p, s):
        return False, False, False, False
    return not s.pending, s.pending, s.pending, s.pending and p.outside_option


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Range of legal prices in dollars."""
    return (price_range(p.money, p.bound, p.complete_information, p.value[SELLER], p.value[BUYER]),)


def price_range(money: float, bound: float, known: bool, first: float, second: float) -> Bounds:
    """Prices from 0 to a multiple of the largest amount known to both seats.

    Args:
        money: Scale of values and prices in dollars.
        bound: The multiple; 0 for no bound.
        first: Value of one seat, in dollars.
        second: Value of the other, in dollars.
    """
    if bound == 0.0:
        return UNBOUNDED_PRICES
    return 0.0, bound * (max(money, first, second) if known else money)


def span(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Prices without loss to the seat: from its value up to a distance of the larger of scale and value.

    A buyer's do not go below 0, a seller's not beyond the `bounds`. These are the prices of the constrained
    zero-intelligence traders of Gode and Sunder (1993); a loss is still within the `bounds`.
    """
    value = p.value[seat]
    reach, most = max(p.money, value), bounds(p, s, seat)[0][1]
    return ((value, max(min(value + reach, most), value)) if seat == SELLER else (max(value - reach, 0.0), value),)


def public_span(p: Params) -> tuple[Bounds]:
    """Prices from 0 to twice the scale; a grid over a seat's own `span` would reveal its value by three prices."""
    return ((0.0, 2.0 * p.money),)


def post(p: Params, s: State, price: float) -> State:
    """The proposer posts a price."""
    if proposer(s) == SELLER:
        return State(s.round, True, (price, s.price[BUYER]), False, NOBODY, False)
    return State(s.round, True, (s.price[SELLER], price), False, NOBODY, False)


def answer(p: Params, s: State, kind: int) -> State:
    """Return the position after acceptance, opting out or rejection; after the last round there is no trade."""
    if kind == ACCEPT:
        return State(s.round, False, s.price, True, NOBODY, True)
    if kind == OPT_OUT:
        return State(s.round, False, s.price, False, 1 - proposer(s), True)
    if s.round >= p.horizon:
        return State(s.round, False, s.price, False, NOBODY, True)
    return State(s.round + 1, False, s.price, False, NOBODY, False)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after a legal move."""
    kind, values = moves[0]
    if kind == OFFER:
        return post(p, s, values[0])
    return answer(p, s, kind)


def current_price(s: State) -> float:
    """The price of this round."""
    return s.price[proposer(s)]


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Dollars won over the own value: price - V_A for the seller, V_B - price for the buyer; 0 without a trade."""
    if not s.agreed:
        return 0.0, 0.0
    return current_price(s) - p.value[SELLER], p.value[BUYER] - current_price(s)


def rounding_tolerance(p: Params) -> float:
    """Dollars below which a difference counts as rounding."""
    return TOLERANCE * max(p.money, p.value[SELLER], p.value[BUYER])


def gains(p: Params, s: State) -> tuple[float, float]:
    """Self-gain of both seats: the payoff as a fraction of the scale (GLEE, section 3)."""
    first, second = payoffs(p, s)
    return first / p.money, second / p.money


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: the other's value only with complete information, the horizon only if known."""
    other, proposing = 1 - seat, seat == proposer(s)
    return View(
        seat,
        s.round,
        p.horizon if p.horizon_known else UNKNOWN,
        p.money,
        p.value[seat],
        p.value[other] if p.complete_information else UNKNOWN,
        int(p.outside_option),
        int(proposing),
        current_price(s) if s.pending and not proposing else UNKNOWN,
        s.price[seat],
        s.price[other],
        int(s.over),
        int(s.agreed),
        s.left,
        current_price(s) if s.agreed else UNKNOWN,
        payoffs(p, s)[seat] if s.over else UNKNOWN,
        p.bound,
    )


FEATURES = (
    "seat: 0 sells, 1 buys",
    "whether this seat posts the price of this round: 0 or 1",
    "round t as 1 - 1 / t: 0 to 1",
    "last round T as 1 / T: 0 to 1, or -1 if unknown",
    "round over last round: 0 to 1, or -1 if unknown",
    "whether whoever answers may deal with somebody else: 0 or 1",
    "own value v of the good as v / (v + money): 0 to 1",
    "other's value v of the good as v / (v + money): 0 to 1, or -1 if unknown",
    "own gain g from the price that waits as g / (|g| + money): -1 to 1; 0 if none waits",
    "whether a price waits: 0 or 1",
    "own gain g from the own last price as g / (|g| + money): -1 to 1; 0 before the first",
    "own gain g from the other's last price as g / (|g| + money): -1 to 1; 0 before the first",
    "whether the other has posted a price: 0 or 1",
    *END_FEATURES,
)


def scale_dollars(dollars: float, money: float) -> float:
    """Dollars x as x / (|x| + scale): within [-1, 1] for every price, and finest around 0, where it matters."""
    return dollars / (abs(dollars) + money)


def gain_from(v: View, price: float) -> float:
    """Scaled gain of this seat at a price; 0 without one."""
    if price == UNKNOWN:
        return 0.0
    return scale_dollars(price - v.own_value if v.seat == SELLER else v.own_value - price, v.money)


def features(v: View) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`, each in [-1, 1]."""
    known = v.horizon > 0
    left, last = end_features(v)
    return (
        float(v.seat),
        float(v.proposing),
        1.0 - 1.0 / v.round,
        1.0 / v.horizon if known else NO_FEATURE,
        v.round / v.horizon if known else NO_FEATURE,
        float(v.outside_option),
        scale_dollars(v.own_value, v.money),
        scale_dollars(v.other_value, v.money) if v.other_value != UNKNOWN else NO_FEATURE,
        gain_from(v, v.offered),
        1.0 if v.offered != UNKNOWN else 0.0,
        gain_from(v, v.own_price),
        gain_from(v, v.other_price),
        1.0 if v.other_price != UNKNOWN else 0.0,
        left,
        last,
    )
