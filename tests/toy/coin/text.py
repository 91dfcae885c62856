"""Which texts a player of call-the-coin reads."""

from __future__ import annotations

import json

from econzoo.envs.core.contract import Event
from toy.coin import Say
from toy.coin.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["speaker" if view.seat == 0 else "caller"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "say" if view.seat == 0 else "call"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return "said" if isinstance(happened.action, Say) else "called"


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {"name": names[view.seat], "other": names[1 - view.seat]}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    out = {"round": str(view.round), "right": str(view.right)}
    if view.coin >= 0:
        out["side"] = "heads" if view.coin else "tails"
    return out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    if isinstance(happened.action, Say):
        return {"event_round": str(happened.round), "words": json.dumps(happened.action.message, ensure_ascii=False)}
    return {"event_round": str(happened.round), "call": type(happened.action).__name__.lower()}
