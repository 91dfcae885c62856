"""Which texts a player of the division reads."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from toy.division import GAME, Offer
from toy.division.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "offer" if view.proposing else "answer"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "deal" if view.agreed else "nothing"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return event_text(GAME.actions, view, happened)


def listed(numbers: Sequence[float]) -> str:
    """ "1, 2 and 3"."""
    told = [format_number(value) for value in numbers]
    return " and ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    own = {"items": listed(view.items), "worth": listed(view.own_worth), "kinds": str(len(view.items))}
    return {"name": names[view.seat], "other": names[1 - view.seat], **own}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"round": str(view.round), "own_items": listed(view.own_items)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round)}
    if isinstance(happened.action, Offer):
        out |= {"keep": listed(happened.action.keep), "words": quote_message(happened.action.message)}
    return out
