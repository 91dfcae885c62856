"""Which texts a player reads who contributes and punishes."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number
from toy.punish import GAME, Contribute, Punish
from toy.punish.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "contribute" if view.turn < 0 else "punish"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return event_text(GAME.actions, view, happened)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {"name": names[view.seat], "players": str(len(view.money)), "seat": str(view.seat)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"round": str(view.round), "money": format_number(view.money[view.seat])}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round), "who": names[happened.seat], "number": str(happened.seat)}
    if isinstance(happened.action, Contribute):
        out["amount"] = format_number(happened.action.amount)
    if isinstance(happened.action, Punish):
        out |= {"whom": names[happened.action.whom], "points": str(happened.action.points)}
    return out
