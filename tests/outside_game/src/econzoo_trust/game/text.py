"""Which texts a player of the trust game reads, and the fields that stand in them."""

from __future__ import annotations

from functools import partial

from econzoo.envs.contract import Event, dollars, event_text, quote_message
from econzoo_trust.game import GAME, GiveBack, Send
from econzoo_trust.game.rules import INVESTOR, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    own = "investor" if view.seat == INVESTOR else "trustee"
    return [own, "game", "words"] if messages else [own, "game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "send" if view.seat == INVESTOR else "give_back"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


event = partial(event_text, GAME.actions)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {"money": dollars(view.money)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    out = {"round": str(view.round), "gained": dollars(view.gained[view.seat])}
    return out | ({"arrived": dollars(view.arrived)} if view.arrived >= 0 else {})


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round)}
    if isinstance(happened.action, Send | GiveBack):
        # Quoted as JSON: a message cannot pretend to be a line of the game.
        out |= {"amount": dollars(happened.action.amount), "words": quote_message(happened.action.message)}
    return out
