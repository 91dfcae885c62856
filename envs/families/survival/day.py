"""A day of survival games: all bid simultaneously, the winners are served and pay, and health is updated.

Each game has its own award; the rest is shared (`settle_day`). The functions are part of compiled rules, so they use
numbers only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from econzoo.envs.core.contract import NO_FEATURE, Bounds, draft, put, to_tuple
from econzoo.envs.families import fill_like
from econzoo.envs.families.survival.health import SurvivalParams, SurvivalState, update_condition

NO_BID = -1.0
"""Bid of a seat that made none."""

BOUND = 2.0
MAX_BID = 1e12
"""Maximum bid in dollars without a bound, as in ALYMPICS; a bid above the balance is legal but void."""


class Settlement(NamedTuple):
    """State at the end of a day. Tuples have one entry per resident.

    Attributes:
        balance: Dollars, before the next salary.
        health: Health points; those at death for the dead.
        dry: Consecutive days without water, this one included; 0 if served.
        died: Day of death; 0 while alive.
        bid: Public bids in dollars; `NO_BID` for the dead.
    """

    balance: tuple[float, ...]
    health: tuple[int, ...]
    dry: tuple[int, ...]
    died: tuple[int, ...]
    over: bool
    bid: tuple[float, ...]


def bid_range(bound: float, income: float) -> tuple[Bounds]:
    """Range of legal bids: from 0 to a multiple of the largest total income; bids above the balance cannot win.

    Args:
        bound: The multiple; 0 for no bound.
        income: Largest income of a resident over all days, in dollars.
    """
    return ((0.0, MAX_BID if bound == 0.0 else bound * income),)


def round_money(amount: float) -> float:
    """Round dollars to a millionth: sums of cents stay cents, so that a bid of the displayed balance is never void.

    Amounts above a billion, where floats are coarser than that, are unchanged.
    """
    return math.floor(amount * 1e6 + 0.5) / 1e6 if amount < 1e9 else amount


def pay_salaries(balance: tuple[float, ...], died: tuple[int, ...], salaries: tuple[float, ...]) -> tuple[float, ...]:
    """Return the balances after the living get their salaries."""
    after = draft(balance)
    for seat in range(len(died)):
        if died[seat] == 0:
            after = put(after, seat, round_money(balance[seat] + salaries[seat]))
    return to_tuple(after)


def settle_day(p: SurvivalParams, s: SurvivalState, bids: list[float], served: tuple[int, ...]) -> Settlement:
    """Settle a day: winners pay their own bids, and health and deaths are updated.

    Args:
        bids: Bid of each resident in dollars.
        served: 1 for each resident who gets water, else 0.
    """
    balance, health, dry, died = draft(s.balance), draft(s.health), draft(s.dry), draft(s.died)
    public_bids = draft(fill_like(s.balance, NO_BID))
    for seat in range(len(bids)):
        if s.died[seat] == 0:
            public_bids = put(public_bids, seat, bids[seat])
            points, dry_days = update_condition(p.max_health, (s.health[seat], s.dry[seat]), served[seat])
            health, dry = put(health, seat, points), put(dry, seat, dry_days)
            if served[seat]:
                balance = put(balance, seat, round_money(s.balance[seat] - bids[seat]))
            if points <= 0:
                died = put(died, seat, s.round)
    over = s.round == p.days or min(to_tuple(died)) > 0
    return Settlement(to_tuple(balance), to_tuple(health), to_tuple(dry), to_tuple(died), over, to_tuple(public_bids))


def condition_names(salaries: str) -> tuple[str, ...]:
    """Names of the features of `condition`.

    Args:
        salaries: Description of the unit of money.
    """
    return (
        f"balance b as b / (b + {salaries}): 0 to 1",
        "health over the most there can be: 0 to 1, or -1 if dead",
        "days n in a row without water as n / (n + 2): 0 to 1",
        f"bid b of the day before as b / (b + {salaries}): 0 to 1, or -1 if none",
    )


def condition(v: Any, seat: int, salaries: float) -> tuple[float, ...]:
    """Features of the condition of a resident, from a view; see `condition_names`.

    Args:
        salaries: Unit of money in dollars.
    """
    bid, dry = v.bids[seat], v.no_water_days[seat]
    return (
        v.balances[seat] / (v.balances[seat] + salaries),
        v.healths[seat] / v.max_health if v.died[seat] == 0 else NO_FEATURE,
        dry / (dry + 2.0),
        bid / (bid + salaries) if bid >= 0.0 else NO_FEATURE,
    )
