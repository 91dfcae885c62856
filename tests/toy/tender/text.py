"""Which texts a bidder reads."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from toy.tender import GAME, Bid, Whisper
from toy.tender.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "move"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened; where a bid was opened, that is told."""
    if happened.fact is not None:
        return ("own_" if happened.seat == view.seat else "") + "opened"
    return event_text(GAME.actions, view, happened)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    numbers = {"seat": str(view.seat), "value": format_number(view.value)}
    return {"name": names[view.seat], "players": str(len(view.heard)), **numbers}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"round": str(view.round), "bid": amount(view.bid), "gain": format_number(gained(view))}


def gained(view: View) -> float:
    """What the seat gets at the end, by the bids that are opened."""
    best = max(view.opened)
    won = best >= 0.0 and view.opened.index(best) == view.seat
    return view.value - best if won else 0.0


def amount(bid: float) -> str:
    """A bid, or that there is none."""
    return f"{format_number(bid)} dollars" if bid >= 0.0 else "nothing"


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round), "who": names[happened.seat]}
    if happened.fact is not None:
        out["opened"] = amount(happened.fact.opened)
    if isinstance(happened.action, Whisper):
        out |= {"whom": names[happened.action.whom], "words": quote_message(happened.action.message)}
    if isinstance(happened.action, Bid):
        out["price"] = amount(happened.action.price)
    return out


def fact(result: Any) -> str:
    """What was opened, for spectators."""
    return f"opened: {amount(result.opened)}"
