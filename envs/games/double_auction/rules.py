"""A sealed-bid k-double auction with private values, after private talk (Chatterjee and Samuelson 1983).

Nature draws the value of a unit to each seat. In each round of talk every seat may claim a value, true or not, to one
trader of the other side. Then all submit one sealed offer simultaneously, and all trades are at one price between the
two middle offers (several per side: Rustichini, Satterthwaite and Williams 1994, Econometrica 62(5)).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, HIDDEN, OPEN, SEVERAL, UNKNOWN, Bounds, Fact, Integer, Move, Real
from econzoo.envs.core.contract import Uniform

SAY, LISTEN, OFFER = 0, 1, 2
NO_VALUE = -1.0
"""Missing value, claim, offer or price, also among features."""


class Params(NamedTuple):
    """Parameters of a match."""

    buyers: Annotated[int, Integer(1, 20), "Seats that can buy a unit; they come first."] = 1
    sellers: Annotated[int, Integer(1, 20), "Seats that can sell a unit."] = 1
    money: Annotated[float, Real(0.01, 1e9), "Highest value in dollars; values are uniform from 0 to it."] = 100.0
    k: Annotated[float, Real(0.0, 1.0), "Weight of the upper one of the two middle offers in the price."] = 0.5
    talk: Annotated[int, Integer(0, 1000), "Rounds of talk before the offers."] = 1


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; the rounds of talk, then that of the offers.
        draws: Value of a unit to each seat in dollars and, with several traders on a side, a last number of the same
            range: the lot that breaks ties between offers; `NO_VALUE` before the draw.
        whom: Recipient of each seat's claim in the previous round, or `NO_VALUE`.
        claims: Value that each seat claimed in dollars, or `NO_VALUE`.
        offers: Offers of all seats in dollars, or `NO_VALUE` before they are made.
    """

    round: int
    draws: tuple[float, ...]
    whom: tuple[float, ...]
    claims: tuple[float, ...]
    offers: tuple[float, ...]


class View(NamedTuple):
    """Observation of one seat.

    Attributes:
        seat: The observing seat.
        round: Round, 1-based.
        value: Value of a unit to this seat in dollars.
        received: Value that each seat claimed to this one in the previous round, or `NO_VALUE`.
        payoff: Dollars that this seat has won, or UNKNOWN before the offers.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    buyers: int
    sellers: int
    money: float
    k: float
    talk: int
    value: float
    received: tuple[float, ...]
    payoff: float
    over: int


class Result(NamedTuple):
    """Public result of one seat's offer.

    Attributes:
        traded_at: Price of its trade in dollars, or `NO_VALUE`.
    """

    traded_at: float


def seats(p: Params) -> int:
    """Number of traders."""
    return p.buyers + p.sellers


def initial(p: Params) -> State:
    """Position before nature's draws."""
    nothing = tuple([NO_VALUE] * seats(p))
    return State(1, tuple([NO_VALUE] * (seats(p) + int(seats(p) > 2))), nothing, nothing, nothing)


def to_act(p: Params, s: State) -> int:
    """Nature draws, then all move simultaneously."""
    if s.offers[0] != NO_VALUE:
        return DONE
    return CHANCE if s.draws[-1] == NO_VALUE else SEVERAL


def chance(p: Params, s: State) -> Uniform:
    """Distribution of each value and of the lot."""
    return Uniform(0.0, p.money)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Say or listen in rounds of talk, then offer."""
    now, talk = to_act(p, s) == SEVERAL, s.round <= p.talk
    return now and talk, now and talk, now and not talk


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """Ranges of the recipient (a seat of the other side), of the claim and of the offer."""
    recipients = (float(p.buyers), seats(p) - 1.0) if seat < p.buyers else (0.0, p.buyers - 1.0)
    return recipients, (0.0, p.money), (0.0, p.money)


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """Claims are visible to their recipient only, offers to all once all are made."""
    received = move.kind == SAY and move.values[0] == seat
    return OPEN if received or move.kind == OFFER else HIDDEN


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """Public results of the offers: who traded, and at what price."""
    if moves[0].kind != OFFER:
        return ()
    return tuple(
        [Fact(seat, Result(price_of(p, s) if is_trading(p, s, seat) else NO_VALUE)) for seat in range(seats(p))]
    )


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after a draw or a move of all seats."""
    return apply_draw(s, moves[0].values[0]) if moves[0].kind == CHANCE else apply_moves(s, moves)


def apply_draw(s: State, number: float) -> State:
    """Return the position after the next draw."""
    count = len([one for one in s.draws if one != NO_VALUE])
    draws = tuple([number if i == count else s.draws[i] for i in range(len(s.draws))])
    return State(s.round, draws, s.whom, s.claims, s.offers)


def apply_moves(s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after a move of every seat; the round of the offers is the last."""
    whom = tuple([move.values[0] if move.kind == SAY else NO_VALUE for move in moves])
    claims = tuple([move.values[1] if move.kind == SAY else NO_VALUE for move in moves])
    offers = tuple([move.values[0] if move.kind == OFFER else NO_VALUE for move in moves])
    return State(s.round + int(moves[0].kind != OFFER), s.draws, whom, claims, offers)


def margin(p: Params, seat: int, value: float, price: float) -> float:
    """Gain of a seat at a price: value - price for a buyer, price - value for a seller."""
    return value - price if seat < p.buyers else price - value


def spreads(p: Params, amounts: tuple[float, ...]) -> list[float]:
    """Difference by rank of the buyers' amounts, descending, and the sellers', ascending."""
    upper = sorted([-amounts[seat] for seat in range(p.buyers)])
    lower = sorted([amounts[seat] for seat in range(p.buyers, seats(p))])
    return [-upper[rank] - lower[rank] for rank in range(min(p.buyers, p.sellers))]


def price_of(p: Params, s: State) -> float:
    """Price between the two middle offers: with n buyers, the n-th and the next of all offers in ascending order.

    As many offers are above it as there are units. A pair trades at ``k * bid + (1 - k) * ask``.
    """
    ordered = sorted([s.offers[seat] for seat in range(seats(p))])
    return p.k * ordered[p.buyers] + (1.0 - p.k) * ordered[p.buyers - 1]


def is_trading(p: Params, s: State, seat: int) -> bool:
    """Whether a seat trades: its rank on its side is below the number of ranks whose bid reaches the ask.

    Equal offers are ranked in the order of seats, starting from the one that the lot names: all are equally likely to
    trade.
    """
    better, equal, place = 0, 0, 0
    for other in range(seats(p)):
        if (other < p.buyers) == (seat < p.buyers):
            better += int(margin(p, seat, s.offers[other], s.offers[seat]) > 0.0)
            equal += int(s.offers[other] == s.offers[seat])
            place += int(s.offers[other] == s.offers[seat] and other < seat)
    # A pair has no lot, and needs none: modulo 1 every place is 0. A lot of exactly the highest value counts as 0.
    first = int(s.draws[-1] / p.money * equal)
    return better + (place - first) % equal < len([spread for spread in spreads(p, s.offers) if spread >= 0.0])


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Dollars won: value - price for a buyer, price - value for a seller, 0 without a trade."""
    traded = [to_act(p, s) == DONE and is_trading(p, s, seat) for seat in range(seats(p))]
    return tuple([margin(p, i, s.draws[i], price_of(p, s)) if traded[i] else 0.0 for i in range(seats(p))])


def gains(p: Params, s: State) -> tuple[float, ...]:
    """Dollars won as a fraction of the highest value."""
    return tuple([won / p.money for won in payoffs(p, s)])


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: its own value, and the claims that it received."""
    received = tuple([s.claims[other] if s.whom[other] == seat else NO_VALUE for other in range(seats(p))])
    over = to_act(p, s) == DONE
    payoff = payoffs(p, s)[seat] if over else UNKNOWN
    return View(seat, s.round, p.buyers, p.sellers, p.money, p.k, p.talk, s.draws[seat], received, payoff, int(over))


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    amounts = ["own value", *[f"value told by seat {seat} in the round before" for seat in range(seats(p))]]
    return (
        "side: 0 buys, 1 sells",
        "weight k of the upper one of the two middle offers in the price: 0 to 1",
        "rounds of talk that are left, this one included, as a part of all rounds: 0 to 1",
        *[f"{amount} as a part of the highest value: 0 to 1, or -1 if none" for amount in amounts],
    )


def features(v: View) -> tuple[float, ...]:
    """Features of a view; see `feature_names`."""
    out = [float(int(v.seat >= v.buyers)), v.k, (v.talk + 1.0 - v.round) / (v.talk + 1.0)]
    out.append(v.value / v.money if v.value >= 0.0 else NO_VALUE)
    for claim in v.received:
        out.append(claim / v.money if claim >= 0.0 else NO_VALUE)
    return tuple(out)
