"""Which texts a player of matching pennies reads."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from toy.pennies.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "show"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return "own_shown" if happened.seat == view.seat else "shown"


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    goal = "the same" if view.seat == 0 else "different"
    return {"name": names[view.seat], "other": names[1 - view.seat], "goal": goal}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"round": str(view.round), "own_wins": str(view.own_wins)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    return {"event_round": str(happened.round), "side": type(happened.action).__name__.lower()}
