"""Which texts a player reads, and the fields that stand in them; the texts are in ``prompts.toml``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from econzoo.envs.core.contract.game import Event
from econzoo.envs.core.faces.prompts import event_text, number, quoted
from econzoo.envs.core.plurals import many, plural
from econzoo.envs.games.multi_issue import ACTIONS, NAMES, Offer, Talk
from econzoo.envs.games.multi_issue.rules import NOBODY, View, worth

event = partial(event_text, ACTIONS)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    keys = ["game", "own_values", "other_values" if min(view.other_values) >= 0 else "private_values", "protocol"]
    return [*keys, "words" if messages else "silence", *(["delay_cost"] if view.delta < 1.0 else []), "horizon"]


def turn(view: View) -> str:
    """Name of the text that asks for a move (``wait`` is told to a seat that has none)."""
    table = "empty" if view.by == NOBODY else "own_offer" if view.by == view.seat else "answer"
    return ("last_" if view.round == view.horizon else "") + table


def ending(view: View) -> str:
    """Name of the text of the result."""
    if not view.agreed:
        return "no_deal"
    return "agreed_late" if view.delta < 1.0 else "agreed"


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``; ``nothing`` if there are none."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts) or "nothing"


def named(items: Sequence[float]) -> str:
    """Items of each kind in words: ``2 books and 1 ball``."""
    return listed([many(int(count), name) for count, name in zip(items, NAMES, strict=False) if count > 0])


def rest(view: View, items: Sequence[float]) -> list[float]:
    """The items that are left of all."""
    return [count - own for count, own in zip(view.items, items, strict=True)]


def priced(values: Sequence[int]) -> str:
    """``a book is worth 1 point and a hat 3 points``."""
    nouns = [f"{NAMES[0]} is worth", *NAMES[1:]]
    return listed([f"a {noun} {many(value, 'point')}" for noun, value in zip(nouns, values, strict=False)])


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "first": names[0],
        "items": named(view.items),
        "kinds": listed([plural(name) for name in NAMES[: len(view.items)]]),
        "own_values": priced(view.own_values),
        "other_values": priced(view.other_values),
        "own_total": many(int(worth(view.own_values, view.items)), "point"),
        "loss": number(100 * (1 - view.delta)),
        "horizon": str(view.horizon),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    if view.by == NOBODY:
        return {"round": str(view.round)}
    points = worth(view.own_values, view.own_items)
    return {
        "round": str(view.round),
        "own_items": named(view.own_items),
        "other_items": named(rest(view, view.own_items)),
        "own_points": many(int(points), "point"),
        "own_payoff": number(points * view.delta ** (view.round - 1)),
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = {"event_round": str(happened.round)}
    if isinstance(happened.action, Offer):
        out |= {"kept": named(happened.action.keep), "left": named(rest(view, happened.action.keep))}
    if isinstance(happened.action, Offer | Talk):
        out["words"] = quoted(happened.action.message)
    return out
