"""Which texts a player of last-one-standing reads."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import format_number
from toy.lowest_bid.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "bid"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "won" if view.standing else "left"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return "own_bid" if happened.seat == view.seat else "bid"


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {"number": str(view.seat + 1)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"round": str(view.round), "others": str(view.others)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    return {
        "event_round": str(happened.round),
        "who": str(happened.seat + 1),
        "bid": format_number(happened.action.bid),
    }
