"""Which texts a resident reads, and what stands in their fields.

Fields of all texts: name, others, residents, requirement, salary, low, high, days, max_health, and with a persona
profession, personality and background. Those of a turn: round, supply, balance, health, no_water_days, and lists over
the living: balances, healths, dry; dead lists the others. Those of an event: event_round, event_supply, who, bid,
place, event_balance, event_health, event_dry.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import UNKNOWN, Event
from econzoo.envs.core.prompts import dollars, number
from econzoo.envs.families.survival.health import REWARDS
from econzoo.envs.families.survival.words import purse, standings
from econzoo.envs.games.water_allocation import Bid
from econzoo.envs.games.water_allocation.personas import personas
from econzoo.envs.games.water_allocation.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    keys = ["resident" if len(view.died) > 1 else "alone"]
    keys += ["persona"] if view.persona == 1 else []  # not in a view that somebody else imagines
    keys += ["need", "supply" if view.low < view.high else "same_supply"]
    return [*keys, "auction", "health", f"goal_{REWARDS[view.reward]}"]


def turn(view: View) -> str:
    """Name of the text that asks for a bid."""
    return "bid_after_deaths" if max(view.died) else "bid"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "died" if view.died[view.seat] else "survived"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what became of a bid: served, dry or died, with ``own_`` before it.

    Behind dry and died stands ``_void`` if the bid was more than the bidder had.
    """
    result = happened.fact
    told = "served" if result.place else "dry" if result.health > 0 else "died"
    void = "_void" if not result.place and happened.action.bid > result.balance else ""
    return ("own_" if happened.seat == view.seat else "") + told + void


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    seats = range(len(names))
    towns = [f"{names[i]} (units {view.requirements[i]}, ${dollars(view.salaries[i])})" for i in seats]
    return {
        "name": names[view.seat],
        "others": ", ".join([names[i] for i in seats if i != view.seat]),
        "residents": ", ".join(towns),
        "requirement": str(view.requirements[view.seat]),
        "salary": dollars(view.salaries[view.seat]),
        "low": str(view.low),
        "high": str(view.high),
        "days": str(view.days),
        "max_health": str(view.max_health),
        **(personas()[names[view.seat]] if view.persona == 1 else {}),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from day to day."""
    return {"supply": "-" if view.supply == UNKNOWN else number(view.supply), **standings(view, names)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of what became of one bid."""
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "event_supply": number(result.supply),
        "who": names[happened.seat],
        "bid": dollars(happened.action.bid),
        "place": str(result.place),
        "event_balance": purse(result.balance),
        "event_health": str(result.health),
        "event_dry": str(result.no_water_days),
    }


def fact(result: Any) -> str:
    """What became of a bid, for spectators."""
    told = f"served, place {result.place}" if result.place else f"dry day {result.no_water_days}"
    health = f"health {result.health}" if result.health > 0 else "dead"
    return f"{told}; ${purse(result.balance)}, {health}"


def example(view: View, kind: str, messages: bool) -> Any:
    """A legal action of this kind, to show the form of an answer: not a good bid for anybody in particular."""
    return Bid(float(round(view.salaries[view.seat] / 2)))
