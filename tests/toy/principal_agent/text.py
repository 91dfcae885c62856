"""Which texts the principal and the agent read."""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number
from toy.principal_agent import GAME, Offer, Work
from toy.principal_agent.rules import AGENT, PRINCIPAL, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["principal" if view.seat == PRINCIPAL else "agent"]


def turn(view: View) -> str:
    """Name of the text that asks for a move."""
    if view.seat == PRINCIPAL:
        return "offer"
    return "work" if view.accepted > 0 else "answer"


def ending(view: View) -> str:
    """Name of the text of the result."""
    if view.accepted <= 0:
        return "declined"
    return "success" if view.success > 0 else "failure"


event = partial(event_text, GAME.actions)


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    full = dollars(view.cost * view.value / 2)
    return {"principal": names[PRINCIPAL], "agent": names[AGENT], "value": dollars(view.value), "full": full}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    return {"wage": dollars(view.wage), "bonus": dollars(view.bonus)} if view.wage >= 0 else {}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    if isinstance(happened.action, Offer):
        return {"wage": dollars(happened.action.wage), "bonus": dollars(happened.action.bonus)}
    return {"effort": format_number(happened.action.effort)} if isinstance(happened.action, Work) else {}
