"""The Water Allocation Challenge (ALYMPICS, arXiv:2311.03220, section 4.1): a daily sealed-bid auction for survival.

Every day the living residents get their salaries, the supply of the day is announced, and all bid simultaneously. Bids
are processed from the highest to the lowest (ties: lower requirement first, then lower seat). A bid above the balance
is void, a requirement above the remaining supply is skipped; served residents pay their own bids. Then health is
updated (see `econzoo.envs.families.survival.day`). The published games obey these rules.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, MAX_ROUNDS, NO_FEATURE, SEVERAL, UNKNOWN, Bounds, Fact, Flag
from econzoo.envs.core.contract import Integer, Move, draft, put, to_tuple
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
    settle_day,
    status,
)


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        requirement: Units of water that each resident needs a day, whole and >= 1.
        salary: Dollars that each resident earns a day, >= 0.
        low: Least supply of a day, in units, whole.
        high: Most supply of a day, inclusive.
        reward: Kind of payoffs: 0 survival, 1 health, 2 days lived.
        bound: Bound of bids, see `bid_range`; 0 for none.
    """

    requirement: tuple[int, ...]
    salary: tuple[float, ...]
    low: int = 10
    high: int = 20
    days: Annotated[int, Integer(1, MAX_ROUNDS), "Number of days."] = 20
    start_health: StartHealth = 8
    max_health: MaxHealth = 10
    reward: int = 0
    persona: Annotated[bool, Flag(), "Whether residents are given personas (see personas.toml)."] = False
    bound: float = BOUND


class State(NamedTuple):
    """A position.

    Attributes:
        round: Day, 1-based; stays at the last day when the game is over.
        supply: Units of the day; UNKNOWN until they are announced.
        balance: Dollars of each resident.
        health: Health points of each resident; those at death for the dead.
        dry: Consecutive days that each resident has been without water.
        died: Day on which each resident died; 0 while it lives.
        over: Whether the game has ended.
        bid: Bids of the previous day in dollars; `NO_BID` of seats that made none.
    """

    round: int
    supply: float
    balance: tuple[float, ...]
    health: tuple[int, ...]
    dry: tuple[int, ...]
    died: tuple[int, ...]
    over: bool
    bid: tuple[float, ...]


class View(NamedTuple):
    """Observation of one resident: everything but the bids of the day. Tuples have one entry per resident.

    Attributes:
        seat: The observing seat.
        round: Day, 1-based.
        supply: Units of the day, or UNKNOWN.
        low: Least supply of a day, in units.
        high: Most supply of a day, in units.
        requirements: Units needed a day.
        salaries: Dollars earned a day.
        balances: Dollars, today's salary included.
        healths: Health points.
        no_water_days: Consecutive days without water; 0: served yesterday, or no day has passed.
        died: Day of death; 0 while alive.
        persona: 1 if residents are told who they are, else 0.
        reward: 0: survival, 1: health, 2: days lived.
        over: 1 if the game has ended for this resident, else 0.
        bids: Bids of the previous day in dollars; `NO_BID` of seats that made none.
        bound: Bound of bids, see `bid_range`; 0 for none.
    """

    seat: int
    round: int
    days: int
    supply: float
    low: int
    high: int
    max_health: int
    requirements: tuple[int, ...]
    salaries: tuple[float, ...]
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    no_water_days: tuple[int, ...]
    died: tuple[int, ...]
    persona: int
    reward: int
    over: int
    bids: tuple[float, ...]
    bound: float


class Result(NamedTuple):
    """Public result of a day for one resident.

    Attributes:
        supply: Units of the day.
        place: Place in the award order, from 1; 0: not served.
        balance: Dollars left at the end of the day.
        health: Health points at the end of the day; 0 or less: dead.
        no_water_days: Consecutive days without water, this one included; 0: served.
    """

    supply: float
    place: int
    balance: float
    health: int
    no_water_days: int


def initial(p: Params) -> State:
    """The morning of day 1: nobody has been paid, and the supply is not announced."""
    seats = len(p.requirement)
    nothing, start = tuple([0] * seats), tuple([p.start_health] * seats)
    return State(1, UNKNOWN, tuple([0.0] * seats), start, nothing, nothing, False, tuple([NO_BID] * seats))


def to_act(p: Params, s: State) -> int:
    """Nature announces the supply, then all bid."""
    if s.over:
        return DONE
    return CHANCE if s.supply == UNKNOWN else SEVERAL


def chance(p: Params, s: State) -> tuple[tuple[float, float], ...]:
    """Uniform distribution over the integers of the supply range."""
    return uniform_supplies(p.low, p.high)


@lru_cache(maxsize=64)
def uniform_supplies(low: int, high: int) -> tuple[tuple[float, float], ...]:
    """Uniform distribution over integers."""
    # Cached, so that the tuple is the same object every day: nature keeps its cumulative probabilities as long as it
    # is.
    share = 1.0 / (high - low + 1)
    return tuple([(float(units), share) for units in range(low, high + 1)])


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """A bid is legal while alive, once the supply is announced."""
    return (s.died[seat] == 0 and not s.over and s.supply != UNKNOWN,)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Range of legal bids in dollars."""
    return bid_range(p.bound, max(p.salary) * p.days)


def span(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """From nothing to all one has; before the first pay day, to the first salary."""
    return ((0.0, p.salary[seat] if s.round == 1 and s.supply == UNKNOWN else s.balance[seat]),)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Nature's announcement of the supply, or one bid of each living resident, in the order of seats: the day ends."""
    if moves[0].kind == CHANCE:
        return announce_supply(p, s, moves[0].values[0])
    bids = amounts_of(moves, s.died)
    balance, health, dry, died, over, bid = settle_day(p, s, bids, award(p, s, bids))
    day, supply = (s.round, s.supply) if over else (s.round + 1, UNKNOWN)
    return State(day, supply, balance, health, dry, died, over, bid)


def announce_supply(p: Params, s: State, supply: float) -> State:
    """Start the day: pay salaries and announce the supply."""
    balance = pay_salaries(s.balance, s.died, p.salary)
    return State(s.round, supply, balance, s.health, s.dry, s.died, False, s.bid)


def ranking(p: Params, bids: list[float]) -> list[int]:
    """Seats by descending bid; ties by lower requirement, then lower seat."""
    # Insertion sort: compiled rules have no sort with a key.
    order = [0] * len(bids)
    for seat in range(len(bids)):
        bid, need, place = bids[seat], p.requirement[seat], seat
        while place > 0:
            other = order[place - 1]
            if bids[other] > bid or (bids[other] == bid and p.requirement[other] <= need):
                break
            order[place] = other
            place -= 1
        order[place] = seat
    return order


def award(p: Params, s: State, bids: list[float]) -> tuple[int, ...]:
    """1 for each served resident, else 0."""
    served, left = draft(fill_like(s.dry, 0)), s.supply
    for seat in ranking(p, bids):
        if s.died[seat] == 0 and bids[seat] <= s.balance[seat] and p.requirement[seat] <= left:
            left -= p.requirement[seat]
            served = put(served, seat, 1)
    return to_tuple(served)


def results(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Result, ...]:
    """Public results of a day, one per resident."""
    place, order = [0] * len(s.died), ranking(p, amounts_of(moves, before.died))
    served = [seat for seat in order if s.dry[seat] == 0 and before.died[seat] == 0]
    for number, seat in enumerate(served, start=1):
        place[seat] = number
    rows = zip(place, s.balance, s.health, s.dry, strict=True)
    return tuple([Result(before.supply, *row) for row in rows])


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """The `results` of the seats that were alive in the morning."""
    return facts_of(before.died, results(p, before, moves, s))


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything but the bids of the day."""
    return View(
        seat,
        s.round,
        p.days,
        s.supply,
        p.low,
        p.high,
        p.max_health,
        p.requirement,
        p.salary,
        s.balance,
        s.health,
        s.dry,
        s.died,
        int(p.persona),
        p.reward,
        int(s.over or s.died[seat] > 0),
        s.bid,
        p.bound,
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    town = (
        "day over the number of days: 0 to 1",
        "supply of the day over all requirements: 0 to 1, or -1 before it is announced",
        "least supply of a day over all requirements: 0 to 1",
        "most supply of a day over all requirements: 0 to 1",
    )
    each = (
        "units of water required a day over the most that anybody requires: 0 to 1",
        "salary over the highest: 0 to 1",
        *condition_names("two highest salaries"),
    )
    return *town, *seat_feature_names(len(p.requirement), each)


def features(v: View) -> tuple[float, ...]:
    """The town, then the own seat, then the others in the order of seats; see `feature_names`."""
    need, salary = float(sum(v.requirements)), max(1.0, *v.salaries)
    out = [v.round / v.days, NO_FEATURE if v.supply == UNKNOWN else min(1.0, v.supply / need)]
    out += [min(1.0, v.low / need), min(1.0, v.high / need)]
    for place in range(len(v.died)):
        i = seat_at(place, v.seat)
        out.append(v.requirements[i] / max(v.requirements))
        out.append(v.salaries[i] / salary)
        out.extend(condition(v, i, 2.0 * salary))
    return tuple(out)
