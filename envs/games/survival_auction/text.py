"""Which texts a player of the survival auction reads, and what stands in their fields.

Fields of all texts: name, others, players, salary, days, max_health. Those of a turn: round, balance, health,
no_water_days, and lists over the living: balances, healths, dry; dead lists the others. Those of an event: event_round,
who, bid, event_balance, event_health, event_dry.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import Event
from econzoo.envs.core.prompts import dollars
from econzoo.envs.families.survival.health import REWARDS
from econzoo.envs.families.survival.words import purse, standings
from econzoo.envs.games.survival_auction import Bid
from econzoo.envs.games.survival_auction.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    first = ["player" if len(view.died) > 1 else "alone"]
    return [*first, "auction", "no_winner", "health", f"goal_{REWARDS[view.reward]}"]


def turn(view: View) -> str:
    """Name of the text that asks for a bid."""
    return "bid_after_deaths" if max(view.died) else "bid"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "died" if view.died[view.seat] else "survived"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what became of a bid: won, dry or died, with ``own_`` before it.

    Behind dry and died stands ``_void`` if the bid was more than the bidder had.
    """
    result = happened.fact
    told = "won" if result.won else "dry" if result.health > 0 else "died"
    void = "_void" if not result.won and happened.action.bid > result.balance else ""
    return ("own_" if happened.seat == view.seat else "") + told + void


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        "name": names[view.seat],
        "others": ", ".join([name for i, name in enumerate(names) if i != view.seat]),
        "players": str(len(names)),
        "salary": dollars(view.salary),
        "days": str(view.days),
        "max_health": str(view.max_health),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from day to day."""
    return standings(view, names)


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of what became of one bid."""
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "who": names[happened.seat],
        "bid": dollars(happened.action.bid),
        "event_balance": purse(result.balance),
        "event_health": str(result.health),
        "event_dry": str(result.no_water_days),
    }


def fact(result: Any) -> str:
    """What became of a bid, for spectators."""
    told = "got the water" if result.won else f"dry day {result.no_water_days}"
    health = f"health {result.health}" if result.health > 0 else "dead"
    return f"{told}; ${purse(result.balance)}, {health}"


def example(view: View, kind: str, messages: bool) -> Any:
    """A legal action of this kind, to show the form of an answer: not a good bid for anybody in particular."""
    return Bid(float(round(view.salary / 2)))
