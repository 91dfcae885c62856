"""Which texts a buyer reads."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from toy.budget import GAME, Order
from toy.budget.rules import MARKETS, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["game"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    return "order"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "result"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what happened."""
    return event_text(GAME.actions, view, happened)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    count = {"players": str(len(view.purses)), "markets": " and ".join(MARKETS)}
    return {"name": names[view.seat], **count, "start": format_number(view.start)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {
        "round": str(view.round),
        "purse": format_number(view.purses[view.seat]),
        "units": format_number(view.units[view.seat]),
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round), "who": names[happened.seat]}
    if isinstance(happened.action, Order):
        price, quantity, market, message = happened.action
        out |= {
            "price": format_number(price),
            "quantity": str(quantity),
            "market": market,
            "words": quote_message(message),
        }
    return out
