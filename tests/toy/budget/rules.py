"""Orders at two markets under a purse. All order at once; at each market the highest prices are served first."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, SEALED, SEVERAL, Bounds, Integer, Move, Real, draft, put, to_tuple

ORDER, STAY = 0, 1

MARKETS = ("north", "south")

REFUSALS = ("the price times the quantity is more than the purse holds",)

MOST_UNITS = 4
"""Units for sale at a market in a round."""


class Params(NamedTuple):
    """One match."""

    players: Annotated[int, Integer(2, 9), "Seats."] = 2
    rounds: Annotated[int, Integer(1, 100), "Rounds."] = 2
    purse: Annotated[float, Real(1.0, 1e6), "Money of each seat at the start, in dollars."] = 20.0
    worth: Annotated[float, Real(1.0, 1e6), "What a unit is worth to everybody, in dollars."] = 10.0
    supply: Annotated[int, Integer(1, MOST_UNITS), "Units for sale at each market in each round."] = 3


class State(NamedTuple):
    """A position.

    Attributes:
        round: Round to be played, 1-based; the last one when the match is over.
        purses: Money of each seat, in dollars.
        units: Units that each seat has bought.
        over: Whether the match has ended.
    """

    round: int
    purses: tuple[float, ...]
    units: tuple[float, ...]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        start: Money of each seat at the start, in dollars.
        purses: Money of each seat, in dollars.
        units: Units that each seat has bought.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    start: float
    worth: float
    supply: int
    purses: tuple[float, ...]
    units: tuple[float, ...]
    over: int


FEATURES = ("seat / players", "round / rounds", "own purse / purse at the start", "own units / units for sale")


def initial(p: Params) -> State:
    """Purses are full."""
    return State(1, tuple([p.purse] * p.players), tuple([0.0] * p.players), False)


def to_act(p: Params, s: State) -> int:
    """All at once."""
    return DONE if s.over else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """An order, or none."""
    return not s.over, not s.over


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """Of price, quantity and market."""
    return (0.0, s.purses[seat]), (1.0, float(p.supply)), (0.0, 1.0)


def span(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """No price above the worth makes sense."""
    return (0.0, min(p.worth, s.purses[seat])), (1.0, float(p.supply)), (0.0, 1.0)


def refuses(p: Params, s: State, seat: int, move: Move) -> int:
    """An order must be paid out of the purse."""
    return int(move.kind == ORDER and move.values[0] * move.values[1] > s.purses[seat])


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """Nobody sees what others order, or whether they do."""
    return SEALED


def bought(p: Params, moves: tuple[Move, ...], seat: int) -> float:
    """Units left for a seat by those with a higher price at its market, or with the same and a lower number."""
    price, quantity, market = moves[seat].values
    left = float(p.supply)
    for i in range(p.players):
        other, wanted, place = moves[i].values
        before = other > price or (other == price and i < seat)
        if moves[i].kind == ORDER and place == market and before:
            left -= wanted
    return max(0.0, min(quantity, left)) if moves[seat].kind == ORDER else 0.0


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Everybody pays its own price for every unit bought."""
    purses, units = draft(s.purses), draft(s.units)
    for seat in range(p.players):
        number = bought(p, moves, seat)
        purses = put(purses, seat, s.purses[seat] - number * moves[seat].values[0])
        units = put(units, seat, s.units[seat] + number)
    last = s.round == p.rounds
    return State(s.round + (not last), to_tuple(purses), to_tuple(units), last)


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Money and the worth of what it bought."""
    return tuple([s.purses[seat] + p.worth * s.units[seat] for seat in range(p.players)])


def for_sale(p: Params) -> float:
    """Units for sale in a match."""
    return 2.0 * p.supply * p.rounds


def gains(p: Params, s: State) -> tuple[float, ...]:
    """What each gained, as a share of the worth of everything for sale."""
    return tuple([(x - p.purse) / (p.worth * for_sale(p)) for x in payoffs(p, s)])


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but the orders of the round that is being played."""
    return View(seat, s.round, p.rounds, p.purse, p.worth, p.supply, s.purses, s.units, int(s.over))


def features(v: View) -> tuple[float, ...]:
    """The numbers that `FEATURES` describes."""
    share = v.units[v.seat] / (2.0 * v.supply * v.rounds)
    return v.seat / len(v.purses), v.round / v.rounds, v.purses[v.seat] / v.start, share
