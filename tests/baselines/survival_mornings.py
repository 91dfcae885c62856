"""Mornings of a dry town, as tables of strategies show them, and towns of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from econzoo.baselines import player
from econzoo.baselines.survival.base import Bidder, Morning
from econzoo.baselines.survival.mpc import Mpc

NEEDS = (8, 9, 10, 11, 12)
SALARIES = (70.0, 75.0, 100.0, 120.0, 120.0)


def morning(**given: Any) -> Morning:
    """The first morning of the paper's town as Cindy (seat 2) sees it, with 15 units; or what else is given."""
    usual: dict[str, Any] = {
        "seat": 2,
        "day": 1,
        "days": 20,
        "supply": 15,
        "low": 10,
        "high": 20,
        "requirements": NEEDS,
        "salaries": SALARIES,
        "balances": SALARIES,
        "healths": (8,) * 5,
        "dry": (0,) * 5,
        "died": (0,) * 5,
        "max_health": 10,
        "line": 0,
    }
    if "living" in given:
        living, seats = given.pop("living"), len(given.get("requirements", NEEDS))
        given["died"] = tuple([0 if seat in living else 1 for seat in range(seats)])
    return Morning(**(usual | given))


def wish_of(one: Bidder, history: Any = (), **given: Any) -> float:
    """What a bidder would like to bid on such a morning."""
    now = morning(**given)
    return one.wish(now, one.numbers, one.past({"history": history}), one.random_numbers(now.day))


def own(index: int, value: Any, usual: tuple[Any, ...]) -> tuple[Any, ...]:
    """A tuple with one entry replaced."""
    return (*usual[:index], value, *usual[index + 1 :])


def bidder(spec: str) -> Bidder:
    """The bidder of a spec."""
    made = player(spec, "water_allocation")
    assert isinstance(made, Bidder)
    return made


def planner(spec: str) -> Mpc:
    """The same of one that plans."""
    made = bidder(spec)
    assert isinstance(made, Mpc)
    return made


def bid(round: int, seat: int, amount: float, balance: float, dry: int) -> dict[str, Any]:
    """What the history tells of one bid; balance and dry days are those of the evening (0: served)."""
    return {"round": round, "seat": seat, "bid": amount, "balance": balance, "no_water_days": dry}


@st.composite
def towns(draw: st.DrawFn, residents: int = 7) -> dict[str, Any]:
    """Parameters of a town: some residents with needs and salaries of many sizes, and any supply."""
    resident = st.tuples(st.integers(1, 40), st.sampled_from([0.0, 1e-300, 0.01, 3.7, 70.0, 100.0, 1e9]))
    low = draw(st.integers(0, 60))
    health = draw(st.integers(1, 30))
    return {
        "residents": [
            (f"R{i}", *one) for i, one in enumerate(draw(st.lists(resident, min_size=1, max_size=residents)))
        ],
        "supply": (low, low + draw(st.integers(0, 40))),
        "days": draw(st.integers(1, 12)),
        "start_health": health,
        "max_health": health + draw(st.integers(0, 10)),
        "reward": draw(st.sampled_from(["survival", "health", "days"])),
    }
