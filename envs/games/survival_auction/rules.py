"""The survival auction game (Zhang et al. 2024, arXiv:2402.01521): one of several equals gets the water of the day.

Every day the living get their salaries and bid at once. The highest bid wins the water and is paid. It wins nothing for
anybody if two or more who can pay it bid it, or nobody who bid it can pay it; the second bid is never tried. The day
ends with health (see `econzoo.envs.families.survival.health`).
"""

from __future__ import annotations

from typing import NamedTuple

from econzoo.envs.core.game import DONE, NO_FEATURE, SEVERAL, Bounds, Fact, Move, draft, final, put
from econzoo.envs.families.survival.features import of_each
from econzoo.envs.families.survival.health import (  # noqa: F401 (its rules too)
    MAX_BID,
    NO_BID,
    Status,
    alive,
    amounts_of,
    completed,
    ended,
    gains,
    lives_after,
    money,
    payoffs,
    shown,
    status,
)

NOBODY = -1
"""Stands for the winner of a day without one."""


class Params(NamedTuple):
    """One match.

    Attributes:
        players: Seats, >= 1.
        salary: Dollars that each player earns a day, > 0.
        days: Days that the game lasts, >= 1.
        start_health: Health points at the beginning.
        max_health: Most health points.
        reward: What payoffs count: 0 survival, 1 health, 2 days lived.
    """

    players: int
    salary: float
    days: int
    start_health: int
    max_health: int
    reward: int


class State(NamedTuple):
    """A position.

    Attributes:
        round: Day, 1-based; stays at the last day when the game is over.
        balance: Dollars of each player, today's salary included.
        health: Health points of each player; of the dead those they died with.
        dry: Days in a row that each player has been without water.
        winner: Seat that got the water of the day before, or `NOBODY`.
        died: Day on which each player died; 0 while it lives.
        over: Whether the game has ended.
        bid: Dollars that each bid on the day before; `NO_BID` of those that made none.
    """

    round: int
    balance: tuple[float, ...]
    health: tuple[int, ...]
    dry: tuple[int, ...]
    winner: int
    died: tuple[int, ...]
    over: bool
    bid: tuple[float, ...]


class View(NamedTuple):
    """What one player may know: everything but the bids of the day. Tuples have one entry a player.

    Attributes:
        seat: The seat that looks.
        round: Day, 1-based.
        days: Days that the game lasts.
        salary: Dollars that each player earns a day.
        max_health: Most health points.
        balances: Dollars, today's salary included.
        healths: Health points.
        no_water_days: Days in a row without water; 0: served yesterday, or no day has passed.
        died: Day of death; 0 while alive.
        reward: 0: survival, 1: health, 2: days lived.
        over: 1 if the game has ended for this player, else 0.
        bids: Dollars that each bid on the day before; `NO_BID` of those that made none.
    """

    seat: int
    round: int
    days: int
    salary: float
    max_health: int
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    no_water_days: tuple[int, ...]
    died: tuple[int, ...]
    reward: int
    over: int
    bids: tuple[float, ...]


class Result(NamedTuple):
    """Public result of a day for one player.

    Attributes:
        won: 1 if the player got the water, else 0.
        balance: Dollars left at the end of the day.
        health: Health points at the end of the day; 0 or less: dead.
        no_water_days: Days in a row without water, this one included; 0: served.
    """

    won: int
    balance: float
    health: int
    no_water_days: int


def initial(p: Params) -> State:
    """Day 1: everybody has been paid."""
    seats, nothing = p.players, tuple([0] * p.players)
    purse, start, unbid = tuple([money(p.salary)] * seats), tuple([p.start_health] * seats), tuple([NO_BID] * seats)
    return State(1, purse, start, nothing, NOBODY, nothing, False, unbid)


def to_act(p: Params, s: State) -> int:
    """All bid at once."""
    return DONE if s.over else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """A bid, while alive."""
    return (s.died[seat] == 0 and not s.over,)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Any sum of dollars; but nobody wins the day if the highest bid cannot be paid."""
    return ((0.0, MAX_BID),)


def span(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """From nothing to all one has."""
    return ((0.0, s.balance[seat]),)


def winner(s: State, bids: list[float]) -> int:
    """The one player who bids the most and can pay it, or `NOBODY`."""
    top, found, able = max(bids), NOBODY, 0
    for seat in range(len(bids)):
        if s.died[seat] == 0 and bids[seat] == top and top <= s.balance[seat]:
            found = seat
            able += 1
    return found if able == 1 else NOBODY


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """One bid of each living player, in the order of seats: the day ends, and the next begins with its salaries."""
    bids = amounts_of(moves, s.died)
    served = winner(s, bids)
    dry = thirst(s, served)
    health, died = lives_after(p, s, dry)
    over = ended(p, s, died)
    balance = paid(s, served, max(bids))
    if over:
        return State(s.round, balance, health, dry, served, died, over, shown(bids))
    return State(s.round + 1, earned(p, balance, died), health, dry, served, died, over, shown(bids))


def thirst(s: State, served: int) -> tuple[int, ...]:
    """Days in a row without water, this one included, if one player or nobody is served."""
    dry = draft(s.dry)
    for seat in range(len(s.died)):
        if s.died[seat] == 0:
            dry = put(dry, seat, 0 if seat == served else s.dry[seat] + 1)
    return final(dry)


def paid(s: State, served: int, price: float) -> tuple[float, ...]:
    """Dollars after the winner, if there is one, has paid its bid."""
    balance = draft(s.balance)
    if served != NOBODY:
        balance = put(balance, served, money(s.balance[served] - price))
    return final(balance)


def earned(p: Params, balance: tuple[float, ...], died: tuple[int, ...]) -> tuple[float, ...]:
    """Dollars of the next morning: the living get their salaries."""
    after = draft(balance)
    for seat in range(len(died)):
        if died[seat] == 0:
            after = put(after, seat, money(balance[seat] + p.salary))
    return final(after)


def results(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Result, ...]:
    """What everybody learns at the end of a day, one a player; balances before the next salary."""
    bids, out = amounts_of(moves, before.died), []
    for i in range(p.players):
        left = money(before.balance[i] - bids[i]) if s.winner == i else before.balance[i]
        out.append(Result(int(s.winner == i), left, s.health[i], s.dry[i]))
    return tuple(out)


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """The `results` of those who have lived through the day or died on it, for everybody to learn."""
    told = enumerate(results(p, before, moves, s))
    return tuple([Fact(seat, result) for seat, result in told if before.died[seat] == 0])


def observe(p: Params, s: State, seat: int) -> View:
    """All is public but the bids of the day that is being played."""
    return View(
        seat,
        s.round,
        p.days,
        p.salary,
        p.max_health,
        s.balance,
        s.health,
        s.dry,
        s.died,
        p.reward,
        int(s.over or s.died[seat] > 0),
        s.bid,
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says, number by number."""
    each = (
        "balance b as b / (b + two salaries): 0 to 1",
        "health over the most there can be: 0 to 1, or -1 if dead",
        "days n in a row without water as n / (n + 2): 0 to 1",
        "bid b of the day before as b / (b + two salaries): 0 to 1, or -1 if none",
    )
    return "day over the number of days: 0 to 1", *of_each(p.players, each)


def features(v: View) -> tuple[float, ...]:
    """The day, then the player that looks, then the others in the order of seats; see `feature_names`."""
    out = [v.round / v.days]
    for place in range(len(v.died)):
        i = v.seat if place == 0 else place - 1 if place <= v.seat else place
        out.append(v.balances[i] / (v.balances[i] + 2.0 * v.salary))
        out.append(v.healths[i] / v.max_health if v.died[i] == 0 else NO_FEATURE)
        out.append(v.no_water_days[i] / (v.no_water_days[i] + 2.0))
        out.append(v.bids[i] / (v.bids[i] + 2.0 * v.salary) if v.bids[i] >= 0.0 else NO_FEATURE)
    return tuple(out)
