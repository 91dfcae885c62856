"""Which texts sellers and buyers read."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from toy.talk_then_bid import CLAIMS, GAME, Say
from toy.talk_then_bid.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "say" if view.seat == view.seller else "bid"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return event_text(GAME.actions, view, happened)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {"name": names[view.seat], "players": str(len(view.earned))}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    out = {"round": str(view.round), "earned": format_number(view.earned[view.seat])}
    if view.seller >= 0:
        out["seller"] = names[view.seller]
    if view.good >= 0:
        out["quality"] = CLAIMS[int(view.good)]
    return out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round), "who": names[happened.seat]}
    if isinstance(happened.action, Say):
        return {**out, "claim": happened.action.claim, "words": quote_message(happened.action.message)}
    return {**out, "bid": format_number(happened.action.bid)}
