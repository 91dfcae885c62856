"""Selection of texts and their fields.

Fields of all texts: name, others, residents, requirement, salary, low, high, days, max_health, and with a persona
profession, personality and background. Those of a turn: round, supply, balance, health, no_water_days, next_loss, and
lists over the living: balances, healths, dry; dead lists the others. Those of an event: event_round, event_supply, who,
bid, place, event_balance, event_health, event_dry.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.families.survival import REWARDS, ending, texts, turn  # noqa: F401 (its texts too)
from econzoo.envs.games.water_allocation.personas import persona
from econzoo.envs.games.water_allocation.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    keys = ["resident" if len(view.died) > 1 else "alone"]
    keys += ["persona"] if view.persona == 1 else []  # UNKNOWN in a view inferred by another seat
    keys += ["need", "supply" if view.low < view.high else "same_supply"]
    return [*keys, "auction", "health", f"goal_{REWARDS[view.reward]}"]


def event(view: View, happened: Event) -> str:
    """Name of the text on the result of a bid: served, dry or died."""
    return texts.bid_result_text(view, happened, "served" if happened.fact.place else "")


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    towns = zip(names, view.requirements, view.salaries, strict=True)
    return {
        **texts.constant_fields(view, names),
        "residents": ", ".join([f"{name} (units {need}, ${dollars(salary)})" for name, need, salary in towns]),
        "requirement": str(view.requirements[view.seat]),
        "salary": dollars(view.salaries[view.seat]),
        "low": str(view.low),
        "high": str(view.high),
        **(persona(names[view.seat], view.seat) if view.persona == 1 else {}),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {"supply": "-" if view.supply == UNKNOWN else format_number(view.supply), **texts.fields(view, names)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    result = happened.fact
    own = {"event_supply": format_number(result.supply), "place": str(result.place)}
    return {**own, **texts.event_fields(view, happened, names)}


def fact(result: Any) -> str:
    """Describe the result of a bid for spectators."""
    return texts.fact(result, f"served, place {result.place}" if result.place else "")
