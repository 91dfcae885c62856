"""Selection of texts and their fields.

Fields of all texts: name, others, players, salary, days, max_health. Those of a turn: round, balance, health,
no_water_days, next_loss, and lists over the living: balances, healths, dry; dead lists the others. Those of an event:
event_round, who, bid, event_balance, event_health, event_dry.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import Event
from econzoo.envs.families.survival import REWARDS, ending, event_fields, fields, texts, turn  # noqa: F401 (its texts too)
from econzoo.envs.games.survival_auction.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    first = ["player" if len(view.died) > 1 else "alone"]
    return [*first, "auction", "no_winner", "health", f"goal_{REWARDS[view.reward]}"]


def event(view: View, happened: Event) -> str:
    """Name of the text on the result of a bid: won, dry or died."""
    return texts.bid_result_text(view, happened, "won" if happened.fact.won else "")


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {**texts.constant_fields(view, names), "players": str(len(names)), "salary": dollars(view.salary)}


def fact(result: Any) -> str:
    """Describe the result of a bid for spectators."""
    return texts.fact(result, "got the water" if result.won else "")
