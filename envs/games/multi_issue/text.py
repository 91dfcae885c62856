"""Selection of texts and their fields; the texts are in ``prompts.toml``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from econzoo.envs.core import format_count, plural
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, join_names, quote_message
from econzoo.envs.games.multi_issue import ACTIONS, NAMES, Offer, Talk
from econzoo.envs.games.multi_issue.rules import NOBODY, View, remaining_items, total_value

event = partial(event_text, ACTIONS)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


FIELDS = {"brief": ("loss",)}
"""Field that custom texts may use in addition: the loss from one turn to the next."""


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    keys = ["game", "own_values", "other_values" if min(view.other_values) >= 0 else "private_values", "protocol"]
    return [*keys, "words" if messages else "silence", *(["delay_cost"] if view.delta < 1.0 else []), "horizon"]


def turn(view: View) -> str:
    table = "empty" if view.by == NOBODY else "own_offer" if view.by == view.seat else "answer"
    return ("last_" if view.round == view.horizon else "") + table


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others: the current value of a point, if it changes."""
    return {"worth": "worth" if view.delta < 1.0 else ""}


def ending(view: View) -> str:
    return ("agreed_late" if view.delta < 1.0 else "agreed") if view.agreed else "no_deal"


def describe_items(items: Sequence[float]) -> str:
    """Format items of each kind: ``2 books and 1 ball``."""
    # A setting has as many kinds as `items`, in general fewer than there are names.
    held = [format_count(int(count), name) for count, name in zip(items, NAMES, strict=False) if count > 0]
    return join_names(held) if held else "nothing"


def describe_values(values: Sequence[int]) -> str:
    """``a book is worth 1 point and a hat 3 points``."""
    nouns = [f"{NAMES[0]} is worth", *NAMES[1:]]
    return join_names([f"a {noun} {format_count(value, 'point')}" for noun, value in zip(nouns, values, strict=False)])


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "first": names[0],
        "items": describe_items(view.items),
        "kinds": join_names([plural(name) for name in NAMES[: len(view.items)]]),
        "own_values": describe_values(view.own_values),
        "other_values": describe_values(view.other_values),
        "own_total": format_count(int(total_value(view.own_values, view.items)), "point"),
        "loss": format_number(100 * (1 - view.delta)),
        "kept_worth": format_number(100 * view.delta),
        "worth_2": format_number(view.delta),
        "worth_3": format_number(view.delta**2),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    left, points = view.delta ** (view.round - 1), total_value(view.own_values, view.own_items)
    out = {"round": str(view.round), "worth_now": format_number(left)}
    if view.by != NOBODY:
        out |= {
            "own_items": describe_items(view.own_items),
            "other_items": describe_items(remaining_items(view.items, view.own_items)),
        }
        out |= {"own_points": format_count(int(points), "point"), "own_payoff": format_number(points * left)}
    return out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out, action = {"event_round": str(happened.round)}, happened.action
    if isinstance(action, Offer):
        out |= {"kept": describe_items(action.keep), "left": describe_items(remaining_items(view.items, action.keep))}
    if isinstance(action, Offer | Talk):
        out["words"] = quote_message(action.message)
    return out
