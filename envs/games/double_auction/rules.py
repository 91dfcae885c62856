"""A sealed-bid k-double auction with private values, after talk in private (Chatterjee and Samuelson 1983).

Nature draws what a unit is worth to each seat. In each round of talk every seat may tell one trader of the other side a
value, true or not. Then all make one sealed offer at once, and all trades are made at one price between the two middle
offers (for several of a side: Rustichini, Satterthwaite and Williams 1994, Econometrica 62(5)).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract.distributions import Uniform
from econzoo.envs.core.contract.game import CHANCE, DONE, HIDDEN, OPEN, SEVERAL, UNKNOWN, Bounds, Fact, Move
from econzoo.envs.core.contract.parameters import Integer, Real
from econzoo.envs.core.contract.public import PUBLIC, Public, fill_public_fields

SAY, LISTEN, OFFER = 0, 1, 2
NO_VALUE = -1.0
"""Stands for what is not drawn, told or offered, for the price of no trade, and for all of this among features."""


class Params(NamedTuple):
    """One market."""

    buyers: Annotated[int, Integer(1, 20), "Seats that can buy a unit; they come first."] = 1
    sellers: Annotated[int, Integer(1, 20), "Seats that can sell a unit."] = 1
    money: Annotated[float, Real(0.01, 1e9), "Highest value in dollars; values are uniform from 0 to it."] = 100.0
    k: Annotated[float, Real(0.0, 1.0), "Weight of the upper one of the two middle offers in the price."] = 0.5
    talk: Annotated[int, Integer(0, 1000), "Rounds of talk before the offers."] = 1


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; the rounds of talk, then that of the offers.
        draws: Dollars that a unit is worth to each seat, and where a side has several a last number of the same range:
            the lot that decides between equal offers; `NONE` for what is not drawn.
        whom: The seat that each spoke to in the round before, or `NONE`.
        claims: The value that each told it in dollars, or `NONE`.
        offers: Of all seats in dollars, or `NONE` before they are made.
    """

    round: int
    draws: tuple[float, ...]
    whom: tuple[float, ...]
    claims: tuple[float, ...]
    offers: tuple[float, ...]


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        value: Dollars that a unit is worth to this seat.
        heard: For each seat, the value that it told this one in the round before, or `NONE`.
        payoff: Dollars that this seat has won, or UNKNOWN before the offers.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    buyers: Public[int]
    sellers: Public[int]
    money: Public[float]
    k: Public[float]
    talk: Public[int]
    value: float
    heard: tuple[float, ...]
    payoff: float
    over: int


class Result(NamedTuple):
    """What the offer of one seat came to.

    Attributes:
        traded_at: Dollars that it paid or was paid for its unit, or `NONE`.
    """

    traded_at: float


def seats(p: Params) -> int:
    """Traders of both sides."""
    return p.buyers + p.sellers


def initial(p: Params) -> State:
    """Nothing is drawn."""
    nothing = tuple([NO_VALUE] * seats(p))
    return State(1, tuple([NO_VALUE] * (seats(p) + int(seats(p) > 2))), nothing, nothing, nothing)


def to_act(p: Params, s: State) -> int:
    """Nature draws, then all move at once."""
    if s.offers[0] != NO_VALUE:
        return DONE
    return CHANCE if s.draws[-1] == NO_VALUE else SEVERAL


def chance(p: Params, s: State) -> Uniform:
    """Of each value and of the lot."""
    return Uniform(0.0, p.money)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Speak or listen in rounds of talk, then offer."""
    now, talk = to_act(p, s) == SEVERAL, s.round <= p.talk
    return now and talk, now and talk, now and not talk


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """Of the seat that hears, one of the other side; of the value told; of the offer."""
    ears = (float(p.buyers), seats(p) - 1.0) if seat < p.buyers else (0.0, p.buyers - 1.0)
    return ears, (0.0, p.money), (0.0, p.money)


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """What is said is for the one who hears it; offers are opened once all are made."""
    heard = move.kind == SAY and move.values[0] == seat
    return OPEN if heard or move.kind == OFFER else HIDDEN


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """With the offers all learn who traded, and at what price."""
    if moves[0].kind != OFFER:
        return ()
    return tuple(
        [Fact(seat, Result(price_of(p, s) if is_trading(p, s, seat) else NO_VALUE)) for seat in range(seats(p))]
    )


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Something is drawn, or all have spoken or offered."""
    return apply_draw(s, moves[0].values[0]) if moves[0].kind == CHANCE else apply_moves(s, moves)


def apply_draw(s: State, number: float) -> State:
    """With the next number that was not drawn yet."""
    done = len([one for one in s.draws if one != NO_VALUE])
    draws = tuple([number if i == done else s.draws[i] for i in range(len(s.draws))])
    return State(s.round, draws, s.whom, s.claims, s.offers)


def apply_moves(s: State, moves: tuple[Move, ...]) -> State:
    """After a move of every seat; the round of the offers is the last."""
    whom = tuple([move.values[0] if move.kind == SAY else NO_VALUE for move in moves])
    claims = tuple([move.values[1] if move.kind == SAY else NO_VALUE for move in moves])
    offers = tuple([move.values[0] if move.kind == OFFER else NO_VALUE for move in moves])
    return State(s.round + int(moves[0].kind != OFFER), s.draws, whom, claims, offers)


def margin(p: Params, seat: int, value: float, price: float) -> float:
    """What a price leaves to a seat: value - price to a buyer, price - value to a seller."""
    return value - price if seat < p.buyers else price - value


def spreads(p: Params, amounts: tuple[float, ...]) -> list[float]:
    """How far the buyers' amounts, from the highest down, are above the sellers', from the lowest up, rank by rank."""
    upper = sorted([-amounts[seat] for seat in range(p.buyers)])
    lower = sorted([amounts[seat] for seat in range(p.buyers, seats(p))])
    return [-upper[rank] - lower[rank] for rank in range(min(p.buyers, p.sellers))]


def price_of(p: Params, s: State) -> float:
    """Between the two middle offers: with n buyers, the n-th and the next of all offers from the lowest up.

    As many offers are above it as there are units. A pair trades at ``k * bid + (1 - k) * ask``.
    """
    ordered = sorted([s.offers[seat] for seat in range(seats(p))])
    return p.k * ordered[p.buyers] + (1.0 - p.k) * ordered[p.buyers - 1]


def is_trading(p: Params, s: State, seat: int) -> bool:
    """Whether a seat trades: fewer of its side come before it than there are bids that reach the ask of their rank.

    Equal offers take their turns in the order of seats, from one that the lot names: each is as likely to trade.
    """
    better, equal, before = 0, 0, 0
    for other in range(seats(p)):
        if (other < p.buyers) == (seat < p.buyers):
            better += int(margin(p, seat, s.offers[other], s.offers[seat]) > 0.0)
            equal += int(s.offers[other] == s.offers[seat])
            before += int(s.offers[other] == s.offers[seat] and other < seat)
    first = int(s.draws[-1] / p.money * equal)
    return better + (before - first) % equal < len([spread for spread in spreads(p, s.offers) if spread >= 0.0])


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Dollars won: value - price for a buyer, price - value for a seller, 0 without a trade."""
    traded = [to_act(p, s) == DONE and is_trading(p, s, seat) for seat in range(seats(p))]
    return tuple([margin(p, i, s.draws[i], price_of(p, s)) if traded[i] else 0.0 for i in range(seats(p))])


def gains(p: Params, s: State) -> tuple[float, ...]:
    """Dollars won as a part of the highest value."""
    return tuple([won / p.money for won in payoffs(p, s)])


@fill_public_fields
def observe(p: Params, s: State, seat: int) -> View:
    """The own value, and what one has been told."""
    heard = tuple([s.claims[other] if s.whom[other] == seat else NO_VALUE for other in range(seats(p))])
    over = to_act(p, s) == DONE
    payoff = payoffs(p, s)[seat] if over else UNKNOWN
    return View(seat=seat, round=s.round, value=s.draws[seat], heard=heard, payoff=payoff, over=int(over), **PUBLIC)


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says."""
    amounts = ["own value", *[f"value told by seat {seat} in the round before" for seat in range(seats(p))]]
    return (
        "side: 0 buys, 1 sells",
        "weight k of the upper one of the two middle offers in the price: 0 to 1",
        "rounds of talk that are left, this one included, as a part of all rounds: 0 to 1",
        *[f"{amount} as a part of the highest value: 0 to 1, or -1 if none" for amount in amounts],
    )


def features(v: View) -> tuple[float, ...]:
    """The numbers that `feature_names` describes."""
    out = [float(int(v.seat >= v.buyers)), v.k, (v.talk + 1.0 - v.round) / (v.talk + 1.0)]
    out.append(v.value / v.money if v.value >= 0.0 else NO_VALUE)
    for told in v.heard:
        out.append(told / v.money if told >= 0.0 else NO_VALUE)
    return tuple(out)
