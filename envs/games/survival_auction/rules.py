"""The survival auction game (Zhang et al. 2024, arXiv:2402.01521): one of several symmetric players gets the water.

Every day the living get their salaries and bid simultaneously. The highest bid wins the water and is paid. Nobody wins
if two or more bidders that can pay it make it, or none that can; the second bid is never considered. Then health is
updated (see `econzoo.envs.families.survival.day`).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, MAX_ROUNDS, SEVERAL, Bounds, Fact, Integer, Move, Real, draft, put
from econzoo.envs.core.contract import to_tuple
from econzoo.envs.families import amounts_of, facts_of, fill_like, seat_at, seat_feature_names
from econzoo.envs.families.survival import (  # noqa: F401 (its rules too)
    BOUND,
    NO_BID,
    MaxHealth,
    StartHealth,
    Status,
    alive,
    bid_range,
    condition,
    condition_names,
    gains,
    pay_salaries,
    payoffs,
    round_money,
    settle_day,
    status,
)

NOBODY = -1
"""Winner of a day without one."""

MAX_PLAYERS = 100


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        reward: Kind of payoffs: 0 survival, 1 health, 2 days lived.
        bound: Bound of bids, see `bid_range`; 0 for none.
    """

    players: Annotated[int, Integer(1, MAX_PLAYERS), "Seats."] = 5
    salary: Annotated[float, Real(0.01, 1e9), "Daily salary of each player in dollars."] = 100.0
    days: Annotated[int, Integer(1, MAX_ROUNDS), "Number of days."] = 10
    start_health: StartHealth = 8
    max_health: MaxHealth = 10
    reward: int = 0
    bound: float = BOUND


class State(NamedTuple):
    """A position.

    Attributes:
        round: Day, 1-based; stays at the last day when the game is over.
        balance: Dollars of each player, today's salary included.
        health: Health points of each player; those at death for the dead.
        dry: Consecutive days that each player has been without water.
        winner: Seat that got the water of the day before, or `NOBODY`.
        died: Day on which each player died; 0 while it lives.
        over: Whether the game has ended.
        bid: Bids of the previous day in dollars; `NO_BID` of seats that made none.
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
    """Observation of one player: everything but the bids of the day. Tuples have one entry per player.

    Attributes:
        seat: The observing seat.
        round: Day, 1-based.
        balances: Dollars, today's salary included.
        healths: Health points.
        no_water_days: Consecutive days without water; 0: served yesterday, or no day has passed.
        died: Day of death; 0 while alive.
        reward: 0: survival, 1: health, 2: days lived.
        over: 1 if the game has ended for this player, else 0.
        bids: Bids of the previous day in dollars; `NO_BID` of seats that made none.
        bound: Bound of bids, see `bid_range`; 0 for none.
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
    bound: float


class Result(NamedTuple):
    """Public result of a day for one player.

    Attributes:
        won: 1 if the player got the water, else 0.
        balance: Dollars left at the end of the day.
        health: Health points at the end of the day; 0 or less: dead.
        no_water_days: Consecutive days without water, this one included; 0: served.
    """

    won: int
    balance: float
    health: int
    no_water_days: int


def initial(p: Params) -> State:
    """Morning of day 1, after the salaries."""
    seats, nothing = p.players, tuple([0] * p.players)
    balance, start, unbid = (
        tuple([round_money(p.salary)] * seats),
        tuple([p.start_health] * seats),
        tuple([NO_BID] * seats),
    )
    return State(1, balance, start, nothing, NOBODY, nothing, False, unbid)


def to_act(p: Params, s: State) -> int:
    """All bid simultaneously."""
    return DONE if s.over else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """A bid is legal while alive."""
    return (s.died[seat] == 0 and not s.over,)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Range of legal bids in dollars."""
    return bid_range(p.bound, p.salary * p.days)


def span(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Bids from 0 to the balance."""
    return ((0.0, s.balance[seat]),)


def winner(s: State, bids: list[float]) -> int:
    """The only player that makes the highest bid and can pay it, or `NOBODY`."""
    # The dead have UNKNOWN in place of a bid, which is below every bid.
    top, found, able = max(bids), NOBODY, 0
    for seat in range(len(bids)):
        if s.died[seat] == 0 and bids[seat] == top and top <= s.balance[seat]:
            found = seat
            able += 1
    return found if able == 1 else NOBODY


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after one bid of each living player and the next salaries."""
    bids = amounts_of(moves, s.died)
    one, nobody = winner(s, bids), fill_like(s.dry, 0)
    served = nobody if one == NOBODY else to_tuple(put(draft(nobody), one, 1))
    balance, health, dry, died, over, bid = settle_day(p, s, bids, served)
    if over:
        return State(s.round, balance, health, dry, one, died, over, bid)
    morning = pay_salaries(balance, died, fill_like(balance, p.salary))
    return State(s.round + 1, morning, health, dry, one, died, over, bid)


def results(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Result, ...]:
    """Public results of a day, one per player; balances are before the next salary."""
    bids, out = amounts_of(moves, before.died), []
    for i in range(p.players):
        # The position has the next salaries already.
        left = round_money(before.balance[i] - bids[i]) if s.winner == i else before.balance[i]
        out.append(Result(int(s.winner == i), left, s.health[i], s.dry[i]))
    return tuple(out)


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """The `results` of the seats that were alive in the morning."""
    return facts_of(before.died, results(p, before, moves, s))


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything but the bids of the day."""
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
        p.bound,
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    return "day over the number of days: 0 to 1", *seat_feature_names(p.players, condition_names("two salaries"))


def features(v: View) -> tuple[float, ...]:
    """The day, then the own seat, then the others in the order of seats; see `feature_names`."""
    out = [v.round / v.days]
    for place in range(len(v.died)):
        out.extend(condition(v, seat_at(place, v.seat), 2.0 * v.salary))
    return tuple(out)
