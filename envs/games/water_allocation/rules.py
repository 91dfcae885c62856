"""The Water Allocation Challenge (ALYMPICS, arXiv:2311.03220, section 4.1): a daily sealed-bid auction for survival.

Every day the living residents get their salaries, the supply of the day is announced, and all bid at once. The walk
goes from the highest bid to the lowest (equal bids: lower requirement first, then lower seat). A bid above the bidder's
balance is void, a requirement above what is left is passed over, and the walk goes on; those who are served pay their
own bids. The day ends with health (see `econzoo.envs.families.survival.health`). The published games obey these rules.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from econzoo.envs.core.game import CHANCE, DONE, NO_FEATURE, SEVERAL, UNKNOWN, Bounds, Fact, Move, draft, final, put
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


class Params(NamedTuple):
    """One town.

    Attributes:
        requirement: Units of water that each resident needs a day, whole and >= 1.
        salary: Dollars that each resident earns a day, >= 0.
        low: Least supply of a day, in units, whole.
        high: Most supply of a day, inclusive.
        days: Days that the game lasts, >= 1.
        start_health: Health points at the beginning.
        max_health: Most health points.
        reward: What payoffs count: 0 survival, 1 health, 2 days lived.
        persona: Whether residents are told who they are.
    """

    requirement: tuple[int, ...]
    salary: tuple[float, ...]
    low: int
    high: int
    days: int
    start_health: int
    max_health: int
    reward: int
    persona: bool


class State(NamedTuple):
    """A position.

    Attributes:
        round: Day, 1-based; stays at the last day when the game is over.
        supply: Units of the day; UNKNOWN until they are announced.
        balance: Dollars of each resident.
        health: Health points of each resident; of the dead those they died with.
        dry: Days in a row that each resident has been without water.
        died: Day on which each resident died; 0 while it lives.
        over: Whether the game has ended.
        bid: Dollars that each bid on the day before; `NO_BID` of those that made none.
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
    """What one resident may know: everything but the bids of the day. Tuples have one entry a resident.

    Attributes:
        seat: The seat that looks.
        round: Day, 1-based.
        days: Days that the game lasts.
        supply: Units of the day, or UNKNOWN.
        low: Least supply of a day, in units.
        high: Most supply of a day, in units.
        max_health: Most health points.
        requirements: Units needed a day.
        salaries: Dollars earned a day.
        balances: Dollars, today's salary included.
        healths: Health points.
        no_water_days: Days in a row without water; 0: served yesterday, or no day has passed.
        died: Day of death; 0 while alive.
        persona: 1 if residents are told who they are, else 0.
        reward: 0: survival, 1: health, 2: days lived.
        over: 1 if the game has ended for this resident, else 0.
        bids: Dollars that each bid on the day before; `NO_BID` of those that made none.
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


class Result(NamedTuple):
    """Public result of a day for one resident.

    Attributes:
        supply: Units of the day.
        place: Place in the award order, from 1; 0: not served.
        balance: Dollars left at the end of the day.
        health: Health points at the end of the day; 0 or less: dead.
        no_water_days: Days in a row without water, this one included; 0: served.
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
    """Every whole supply from the least to the most, both included, is as likely as any other."""
    return evenly(p.low, p.high)


@lru_cache(maxsize=64)
def evenly(low: int, high: int) -> tuple[tuple[float, float], ...]:
    """The whole numbers from one to another, each with the same probability."""
    share = 1.0 / (high - low + 1)
    return tuple([(float(units), share) for units in range(low, high + 1)])


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """A bid, while alive and once the supply is known."""
    return (s.died[seat] == 0 and not s.over and s.supply != UNKNOWN,)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Any sum of dollars; what one has not got, one cannot win with."""
    return ((0.0, MAX_BID),)


def span(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """From nothing to all one has; before the first pay day, to the first salary."""
    return ((0.0, p.salary[seat] if s.round == 1 and s.supply == UNKNOWN else s.balance[seat]),)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Nature's announcement of the supply, or one bid of each living resident, in the order of seats."""
    if moves[0].kind == CHANCE:
        return announced(p, s, moves[0].values[0])
    return settled(p, s, amounts_of(moves, s.died))


def announced(p: Params, s: State, supply: float) -> State:
    """The day begins: the living are paid, and everybody learns the supply."""
    balance = draft(s.balance)
    for i in range(len(s.died)):
        if s.died[i] == 0:
            balance = put(balance, i, money(s.balance[i] + p.salary[i]))
    return State(s.round, supply, final(balance), s.health, s.dry, s.died, False, s.bid)


def ranking(p: Params, bids: list[float]) -> list[int]:
    """Seats from the highest bid to the lowest; of equal bids the lower requirement first, then the lower seat."""
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


def settled(p: Params, s: State, bids: list[float]) -> State:
    """The end of a day: water is awarded and paid for, health follows, and some may be dead."""
    balance, dry = awarded(p, s, bids)
    health, died = lives_after(p, s, dry)
    over = ended(p, s, died)
    day, supply = (s.round, s.supply) if over else (s.round + 1, UNKNOWN)
    return State(day, supply, balance, health, dry, died, over, shown(bids))


def awarded(p: Params, s: State, bids: list[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Dollars and days without water of everybody after the walk in the order of bids."""
    balance, dry = draft(s.balance), draft(s.dry)
    left = s.supply
    for seat in ranking(p, bids):
        if s.died[seat]:
            continue
        if bids[seat] <= s.balance[seat] and p.requirement[seat] <= left:
            left -= p.requirement[seat]
            balance = put(balance, seat, money(s.balance[seat] - bids[seat]))
            dry = put(dry, seat, 0)
        else:
            dry = put(dry, seat, s.dry[seat] + 1)
    return final(balance), final(dry)


def results(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Result, ...]:
    """What everybody learns at the end of a day, one a resident."""
    place = [0] * len(s.died)
    served = [seat for seat, dry in enumerate(s.dry) if dry == 0 and before.died[seat] == 0]
    if len(served) > 1:
        bids = amounts_of(moves, before.died)
        served.sort(key=lambda seat: (-bids[seat], p.requirement[seat], seat))
    for number, seat in enumerate(served, start=1):
        place[seat] = number
    told = zip(repeat(before.supply), place, s.balance, s.health, s.dry)
    return tuple(map(tuple.__new__, repeat(Result), told))


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
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says, number by number."""
    town = (
        "day over the number of days: 0 to 1",
        "supply of the day over all requirements: 0 to 1, or -1 before it is announced",
        "least supply of a day over all requirements: 0 to 1",
        "most supply of a day over all requirements: 0 to 1",
    )
    each = (
        "units of water required a day over the most that anybody requires: 0 to 1",
        "salary over the highest: 0 to 1",
        "balance b as b / (b + two highest salaries): 0 to 1",
        "health over the most there can be: 0 to 1, or -1 if dead",
        "days n in a row without water as n / (n + 2): 0 to 1",
        "bid b of the day before as b / (b + two highest salaries): 0 to 1, or -1 if none",
    )
    return *town, *of_each(len(p.requirement), each)


def features(v: View) -> tuple[float, ...]:
    """The town, then the resident that looks, then the others in the order of seats; see `feature_names`."""
    need, salary = float(sum(v.requirements)), max(1.0, *v.salaries)
    out = [v.round / v.days, NO_FEATURE if v.supply == UNKNOWN else min(1.0, v.supply / need)]
    out += [min(1.0, v.low / need), min(1.0, v.high / need)]
    for place in range(len(v.died)):
        i = v.seat if place == 0 else place - 1 if place <= v.seat else place
        out.append(v.requirements[i] / max(v.requirements))
        out.append(v.salaries[i] / salary)
        out.append(v.balances[i] / (v.balances[i] + 2.0 * salary))
        out.append(v.healths[i] / v.max_health if v.died[i] == 0 else NO_FEATURE)
        out.append(v.no_water_days[i] / (v.no_water_days[i] + 2.0))
        out.append(v.bids[i] / (v.bids[i] + 2.0 * salary) if v.bids[i] >= 0.0 else NO_FEATURE)
    return tuple(out)
