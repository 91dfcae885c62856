"""Repeated persuasion: a seller knows the quality of a good, a buyer does not (GLEE, arXiv:2410.05254, section 2.3).

In every round nature draws the quality of a new product, seat 0 (the seller) observes it and sends a signal, and seat 1
(the buyer) buys at a fixed price or declines. Then the quality is disclosed. A long-living buyer remembers all rounds;
a myopic one is new in every round and observes statistics only. Pure functions of numbers: the same code runs one match
in Python and thousands in a compiled batch.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, NO_FEATURE, UNKNOWN, Fact, Flag, Move, Real

RECOMMEND, DISCOURAGE, SAY, BUY, DECLINE = 0, 1, 2, 3, 4
SELLER, BUYER = 0, 1
LOW, HIGH = 0.0, 1.0
SILENT = -1

NATURES_TURN, SELLERS_TURN, BUYERS_TURN = 0, 1, 2


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        rounds: Number of rounds, each with a new product, >= 1.
        rounds_known: Whether the seats know it; a myopic buyer never does.
        binary: Whether the seller recommends or discourages.
        words: Whether the seller can send messages; if neither this nor ``binary``, it is silent.
        myopic: Whether the buyer is new in every round.
        counts: Whether myopic buyers observe counts of products bought and of good ones; else shares.
    """

    price: Annotated[float, Real(0.01, 1e12), "Price of a product in dollars."] = 10_000.0
    prior: Annotated[float, Real(0.0, 1.0), "Probability of high quality."] = 0.5
    high_value: Annotated[
        float, Real(1.0, 1000.0), "Value of high quality to the buyer, as a multiple of the price."
    ] = 1.25
    low_value: Annotated[float, Real(0.0, 1.0), "Value of low quality to the buyer, as a multiple of the price."] = 0.0
    rounds: int = 20
    rounds_known: bool = True
    seller_knows_value: Annotated[bool, Flag(), "Whether the seller knows the buyer's values of the products."] = True
    buyer_knows_prior: Annotated[bool, Flag(), "Whether the buyer knows the prior."] = True
    binary: bool = False
    words: bool = True
    myopic: bool = False
    counts: bool = False


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based.
        stage: Whose turn it is: `NATURES_TURN`, `SELLERS_TURN` or `BUYERS_TURN`.
        quality: Of this round's product: HIGH, LOW, or UNKNOWN before nature's move.
        said: Kind of the seller's move in this round, or `SILENT` before it.
        sold_high: Products of high quality bought so far.
        sold_low: Products of low quality bought so far.
        declined_high: Products of high quality not bought so far.
        declined_low: Products of low quality not bought so far.
        recommended_high: Products of high quality recommended in the rounds that are over.
        recommended_low: Products of low quality recommended in the rounds that are over.
        last_quality: Of the product of the round before, or UNKNOWN.
        over: Whether the game has ended.
    """

    round: int
    stage: int
    quality: float
    said: int
    sold_high: int
    sold_low: int
    declined_high: int
    declined_low: int
    recommended_high: int
    recommended_low: int
    last_quality: float
    over: bool


class View(NamedTuple):
    """Observation of one seat; `UNKNOWN` for hidden values, and for those that do not exist yet.

    Attributes:
        seat: The observing seat: 0 sells, 1 buys.
        round: Round, 1-based; a myopic buyer counts its own only, which is its first.
        rounds: Number of rounds, or UNKNOWN (always to a myopic buyer).
        prior: Probability of high quality, or UNKNOWN.
        high_value: Worth of high quality as a fraction of the price, or UNKNOWN.
        low_value: Worth of low quality as a fraction of the price, or UNKNOWN.
        seller_knows_value: 1 if the seller knows both values, else 0.
        buyer_knows_prior: 1 if the buyer knows the prior, else 0.
        binary: 1 if the seller recommends or discourages, else 0.
        words: 1 if the seller can use words, else 0.
        myopic: 1 if a new buyer comes every round, else 0.
        quality: 1 high, 0 low: of this round's product, for the seller only; else UNKNOWN.
        said: Kind of the seller's move in this round (0 recommend, 1 discourage, 2 say), or -1.
        bought_share: Share of the rounds before in which the product was bought, in [0, 1]; UNKNOWN before the first.
        low_share: Share of the rounds before in which one of low quality was bought, in [0, 1]; likewise.
        sold: Products bought so far; UNKNOWN to a myopic buyer who knows shares.
        sold_low: Those among them that were of low quality; UNKNOWN to a myopic buyer who knows shares.
        declined_high: Products of high quality not bought so far; UNKNOWN to a myopic buyer.
        declined_low: Products of low quality not bought so far; UNKNOWN to a myopic buyer.
        recommended_high: Products of high quality recommended so far; UNKNOWN to a myopic buyer.
        recommended_low: Products of low quality recommended so far; UNKNOWN to a myopic buyer.
        last_quality: Of the product of the round before, or UNKNOWN.
        over: 1 if the game has ended, else 0.
        own_payoff: Dollars of this seat, or UNKNOWN while the game runs and to a myopic buyer.
    """

    seat: int
    round: int
    rounds: float
    price: float
    prior: float
    high_value: float
    low_value: float
    seller_knows_value: int
    buyer_knows_prior: int
    binary: int
    words: int
    myopic: int
    quality: float
    said: int
    bought_share: float
    low_share: float
    sold: float
    sold_low: float
    declined_high: float
    declined_low: float
    recommended_high: float
    recommended_low: float
    last_quality: float
    over: int
    own_payoff: float


class Result(NamedTuple):
    """Public result of a round.

    Attributes:
        disclosed: Quality of the product: 1 high, 0 low.
    """

    disclosed: float


def initial(p: Params) -> State:
    """Round 1, before nature's move."""
    return State(1, NATURES_TURN, UNKNOWN, SILENT, 0, 0, 0, 0, 0, 0, UNKNOWN, False)


def to_act(p: Params, s: State) -> int:
    """Nature, the seller, the buyer, round by round; DONE at the end."""
    if s.over:
        return DONE
    if s.stage == NATURES_TURN:
        return CHANCE
    return SELLER if s.stage == SELLERS_TURN else BUYER


def chance(p: Params, s: State) -> tuple[tuple[float, float], tuple[float, float]]:
    """The quality of this round's product."""
    return (HIGH, p.prior), (LOW, 1.0 - p.prior)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool, bool, bool]:
    """Whether recommend, discourage, say, buy and decline are legal for the seat."""
    selling = seat == SELLER and to_act(p, s) == SELLER
    buying = seat == BUYER and to_act(p, s) == BUYER
    return selling and p.binary, selling and p.binary, selling and not p.binary, buying, buying


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after a legal move."""
    kind, values = moves[0]
    if kind == CHANCE:
        return advance_stage(s, SELLERS_TURN, values[0], SILENT)
    if s.stage == SELLERS_TURN:
        return advance_stage(s, BUYERS_TURN, s.quality, kind)
    return decide(p, s, kind == BUY)


def advance_stage(s: State, stage: int, quality: float, said: int) -> State:
    """Return the position at the next stage of the round."""
    sold_high, sold_low, declined_high, declined_low = s.sold_high, s.sold_low, s.declined_high, s.declined_low
    counts = (sold_high, sold_low, declined_high, declined_low, s.recommended_high, s.recommended_low)
    return State(s.round, stage, quality, said, *counts, s.last_quality, False)


def decide(p: Params, s: State, bought: bool) -> State:
    """Return the position after the buyer's decision: the quality is disclosed, and the next round begins."""
    high, recommended, last = s.quality == HIGH, s.said == RECOMMEND, s.round == p.rounds
    return State(
        s.round + (not last),
        NATURES_TURN,
        UNKNOWN,
        SILENT,
        s.sold_high + (bought and high),
        s.sold_low + (bought and not high),
        s.declined_high + (not bought and high),
        s.declined_low + (not bought and not high),
        s.recommended_high + (recommended and high),
        s.recommended_low + (recommended and not high),
        s.quality,
        last,
    )


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """Disclose the quality of the product after the decision."""
    return (Fact(BUYER, Result(s.last_quality)),) if s.stage == NATURES_TURN else ()


def entry_round(p: Params, s: State, seat: int) -> int:
    """Round in which the player of a seat entered: the current one for a myopic buyer, else the first."""
    return s.round if p.myopic and seat == BUYER else 1


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Dollars: the price of every product sold for the seller, worth minus price of them for the buyer."""
    worth = s.sold_high * (p.high_value - 1.0) + s.sold_low * (p.low_value - 1.0)
    return p.price * (s.sold_high + s.sold_low), p.price * worth


def gains(p: Params, s: State) -> tuple[float, float]:
    """Self-gain of both seats: the payoff as a fraction of the price, per round (GLEE, section 3)."""
    first, second = payoffs(p, s)
    return first / (p.price * p.rounds), second / (p.price * p.rounds)


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat; a myopic buyer observes only statistics of the past (GLEE, section 2.3)."""
    stranger = p.myopic and seat == BUYER
    knows_value = seat == BUYER or p.seller_knows_value
    sold = s.sold_high + s.sold_low
    products = sold + s.declined_high + s.declined_low
    return View(
        seat,
        1 if stranger else s.round,
        UNKNOWN if stranger or not p.rounds_known else p.rounds,
        p.price,
        p.prior if seat == SELLER or p.buyer_knows_prior else UNKNOWN,
        p.high_value if knows_value else UNKNOWN,
        p.low_value if knows_value else UNKNOWN,
        int(p.seller_knows_value),
        int(p.buyer_knows_prior),
        int(p.binary),
        int(p.words),
        int(p.myopic),
        s.quality if seat == SELLER else UNKNOWN,
        s.said,
        sold / products if products else UNKNOWN,
        s.sold_low / products if products else UNKNOWN,
        UNKNOWN if stranger and not p.counts else sold,
        UNKNOWN if stranger and not p.counts else s.sold_low,
        UNKNOWN if stranger else s.declined_high,
        UNKNOWN if stranger else s.declined_low,
        UNKNOWN if stranger else s.recommended_high,
        UNKNOWN if stranger else s.recommended_low,
        UNKNOWN if stranger else s.last_quality,
        int(s.over),
        payoffs(p, s)[seat] if s.over and not stranger else UNKNOWN,
    )


FEATURES = (
    "seat: 0 sells, 1 buys",
    "how the seller speaks: 1 it recommends or discourages, 0 it uses words",
    "who buys: 1 somebody new every round, 0 the same player in all",
    "round t as 1 - 1 / t: 0 to 1",
    "round over the number of rounds: 0 to 1, or -1 if unknown",
    "prior probability of high quality: 0 to 1, or -1 if unknown",
    "price over the worth of high quality: 0 to 1, or -1 if unknown",
    "worth of low quality over the price: 0 to 1, or -1 if unknown",
    "quality of this product: 1 high, 0 low, -1 unknown",
    "what the seller said: 1 a recommendation, 0 anything else, -1 nothing yet",
    "share of the earlier rounds in which the product was bought: 0 to 1; 0 if there are none",
    "share of the earlier rounds in which one of low quality was bought: 0 to 1; 0 if there are none",
    "share of the earlier products of high quality that were recommended: 0 to 1, or -1 if there are none or unknown",
    "share of the earlier products of low quality that were recommended: 0 to 1, or -1 if there are none or unknown",
    "share of the earlier products that were of high quality: 0 to 1, or -1 if there are none or unknown",
    "quality of the product before: 1 high, 0 low, -1 unknown",
)


def share(part: float, whole: float) -> float:
    """A share, or NO_FEATURE if the whole is 0 or unknown."""
    return part / whole if whole > 0.0 else NO_FEATURE


def encode_signal(said: int) -> float:
    """1 for a recommendation, 0 for anything else, `NO_FEATURE` for nothing yet."""
    if said == SILENT:
        return NO_FEATURE
    return 1.0 if said == RECOMMEND else 0.0


def features(v: View) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`, each in [-1, 1]."""
    # With unknown counts these are minus infinity or NaN; `share` gives NO_FEATURE for both.
    low = v.declined_low + v.sold_low
    high = v.declined_high + v.sold - v.sold_low
    return (
        float(v.seat),
        float(v.binary),
        float(v.myopic),
        1.0 - 1.0 / v.round,
        v.round / v.rounds if v.rounds > 0.0 else NO_FEATURE,
        max(v.prior, NO_FEATURE),
        1.0 / v.high_value if v.high_value > 0.0 else NO_FEATURE,
        max(v.low_value, NO_FEATURE),
        max(v.quality, NO_FEATURE),
        encode_signal(v.said),
        max(v.bought_share, 0.0),
        max(v.low_share, 0.0),
        share(v.recommended_high, high),
        share(v.recommended_low, low),
        share(high, high + low),
        max(v.last_quality, NO_FEATURE),
    )
