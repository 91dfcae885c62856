"""Additional fields of the prompt set ``short``: percentages of the money, and the answer form with the rules.

Fields of turn: those of `text`, and offered_share. Fields of event: those of `text`, and own_share and others_share.
"""

from __future__ import annotations

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import format_share
from econzoo.envs.families.offers import horizon_suffix
from econzoo.envs.games.bargaining import Offer, text
from econzoo.envs.games.bargaining.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    protocol, form = "one_round" if view.horizon == 1 else "protocol", "form_words" if messages else "form"
    return ["start", protocol, form, *(name for name in text.brief(view, messages=False) if name != "protocol")]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others."""
    return {**text.parts(view, happened), "of": horizon_suffix(view)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    offered = {"offered_share": format_share(view.offered, view.money)} if view.offered >= 0 else {}
    return {**text.fields(view, names), **offered}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out = text.event_fields(view, happened, names)
    if isinstance(happened.action, Offer):
        kept, left = happened.action.gain, view.money - happened.action.gain
        own, others = (kept, left) if happened.seat == view.seat else (left, kept)
        out |= {"own_share": format_share(own, view.money), "others_share": format_share(others, view.money)}
    return out
