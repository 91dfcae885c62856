"""A day of the games of survival: all bid at once, some are served and pay their bids, and health follows.

Each game says by its own award who is served; what comes of it is the same in all of them (`settled`). The functions
are part of the rules of such games, so they too know numbers only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import NO_FEATURE, Bounds, draft, put, to_tuple
from econzoo.envs.families.elimination import fill_like
from econzoo.envs.families.survival.health import SurvivalParams, SurvivalState, update_condition

NO_BID = -1.0
"""Stands for the bid of somebody who made none."""

BOUND = 2.0
MAX_BID = 1e12
"""Dollars where there is no bound, as in ALYMPICS; a bid above one's balance is legal, and void."""


class Settlement(NamedTuple):
    """How a day ends. Tuples have one entry a resident.

    Attributes:
        balance: Dollars, before the next salary.
        health: Health points; of the dead those they died with.
        dry: Days in a row without water, this one included; 0: served.
        died: Day of death; 0 while alive.
        over: Whether it was the last day: there are no more, or nobody has lived through it.
        bid: Dollars that each bid, as everybody sees them afterwards; `NO_BID` of those that are out.
    """

    balance: tuple[float, ...]
    health: tuple[int, ...]
    dry: tuple[int, ...]
    died: tuple[int, ...]
    over: bool
    bid: tuple[float, ...]


def bid_range(bound: float, income: float) -> tuple[Bounds]:
    """Bids from 0 to so many times the most that anybody earns; what one has not got, one cannot win with.

    Args:
        bound: How many times; 0: any bid.
        income: Dollars that who earns the most earns in all days.
    """
    return ((0.0, MAX_BID if bound == 0.0 else bound * income),)


def round_money(amount: float) -> float:
    """Dollars to a millionth: sums of cents stay cents, so that a bid of all the money shown is never too much.

    Above a billion, where floats are coarser than that, dollars stay as they are.
    """
    return math.floor(amount * 1e6 + 0.5) / 1e6 if amount < 1e9 else amount


def pay_salaries(balance: tuple[float, ...], died: tuple[int, ...], salaries: tuple[float, ...]) -> tuple[float, ...]:
    """Dollars after a pay day: the living get their salaries."""
    after = draft(balance)
    for seat in range(len(died)):
        if died[seat] == 0:
            after = put(after, seat, round_money(balance[seat] + salaries[seat]))
    return to_tuple(after)


def settle_day(p: SurvivalParams, s: SurvivalState, bids: list[float], served: tuple[int, ...]) -> Settlement:
    """The end of a day: who is served pays its own bid, health follows, and some may be dead.

    Args:
        p: The match.
        s: The position in which all bid.
        bids: Dollars of each resident.
        served: 1 for each resident who gets water, else 0.
    """
    balance, health, dry, died = draft(s.balance), draft(s.health), draft(s.dry), draft(s.died)
    shown = draft(fill_like(s.balance, NO_BID))
    for seat in range(len(bids)):
        if s.died[seat] == 0:
            shown = put(shown, seat, bids[seat])
            points, without = update_condition(p.max_health, (s.health[seat], s.dry[seat]), served[seat])
            health, dry = put(health, seat, points), put(dry, seat, without)
            if served[seat]:
                balance = put(balance, seat, round_money(s.balance[seat] - bids[seat]))
            if points <= 0:
                died = put(died, seat, s.round)
    over = s.round == p.days or min(to_tuple(died)) > 0
    return Settlement(to_tuple(balance), to_tuple(health), to_tuple(dry), to_tuple(died), over, to_tuple(shown))


def condition_names(salaries: str) -> tuple[str, ...]:
    """What `condition` says, number by number.

    Args:
        salaries: What money is measured by.
    """
    return (
        f"balance b as b / (b + {salaries}): 0 to 1",
        "health over the most there can be: 0 to 1, or -1 if dead",
        "days n in a row without water as n / (n + 2): 0 to 1",
        f"bid b of the day before as b / (b + {salaries}): 0 to 1, or -1 if none",
    )


def condition(v: Any, seat: int, salaries: float) -> tuple[float, ...]:
    """How a resident stands, by a view of a game of survival; see `condition_names`.

    Args:
        v: The view.
        seat: Of the resident.
        salaries: Dollars that money is measured by.
    """
    bid, dry = v.bids[seat], v.no_water_days[seat]
    return (
        v.balances[seat] / (v.balances[seat] + salaries),
        v.healths[seat] / v.max_health if v.died[seat] == 0 else NO_FEATURE,
        dry / (dry + 2.0),
        bid / (bid + salaries) if bid >= 0.0 else NO_FEATURE,
    )
