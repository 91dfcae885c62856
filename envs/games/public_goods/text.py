"""Selection of texts and their fields."""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from econzoo.envs.games.public_goods import GAME, Contribute
from econzoo.envs.games.public_goods.rules import COSTS, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    points = ([], ["convex", "budget"], ["linear", "budget"])[view.cost]
    return ["player", "contributions", *points, *(["words"] if messages else []), "goal"]


def turn(view: View) -> str:
    return "assign" if view.assigning else "contribute"


def ending(view: View) -> str:
    return "over"


def event(view: View, happened: Event) -> str:
    return event_text(GAME.actions, view, happened)


def other_names(names: tuple[str, ...], seat: int) -> list[str]:
    """All names but that of a seat, in the order of seats."""
    return [*names[:seat], *names[seat + 1 :]]


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    seats = {"name": names[view.seat], "others": ", ".join(other_names(names, view.seat)), "players": str(len(names))}
    return {**seats, "costs": ", ".join(map(format_number, COSTS))}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """Fields that change between turns: tokens of all seats, to two digits and without a negative zero."""
    shown = {key: [format_number(round(own, 2) + 0.0) for own in getattr(view, key)] for key in ("total", "income")}
    listed = {key: map(" ".join, zip(names, own, strict=True)) for key, own in shown.items()}
    return {"round": str(view.round), **{key: ", ".join(own) for key, own in listed.items()}}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    action = happened.action
    out = {"event_round": str(happened.round), "who": names[happened.seat], "words": quote_message(action.message)}
    if isinstance(action, Contribute):
        return {**out, "tokens": format_number(action.tokens)}
    given = [
        (count, name) for name, count in zip(other_names(names, happened.seat), action.points, strict=True) if count
    ]
    punished = [f"{count} point{'' if count == 1 else 's'} to {name}" for count, name in given]
    return {**out, "points": ", ".join(punished) or "no points"}
