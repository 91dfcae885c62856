"""What the texts of the set ``short`` need beyond those of the game: prices as percentages of the own value.

Fields of turn: those of `text`, and offered_share. Fields of event: those of `text`, and posted_share. In both,
told_share is a text of the table ``part``, empty where the own value is not known or nothing.
"""

from __future__ import annotations

from econzoo.envs.core.contract.game import UNKNOWN, Event
from econzoo.envs.core.faces.prompts import share
from econzoo.envs.families.offers.horizon import horizon_text, of_horizon
from econzoo.envs.games.negotiation import Offer, text
from econzoo.envs.games.negotiation.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    outside = ["outside"] if view.outside_option else []
    form = "_".join(["form", *outside, *(["words"] if messages else [])])
    own = "own" if view.own_value != UNKNOWN else "own_alone"
    other = "other_known" if view.other_value != UNKNOWN else "other_unknown"
    protocol = "one_price" if view.horizon == 1 else "protocol"
    return ["start", protocol, *outside, form, own, other, horizon_text(view)]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Which texts stand in the fields of others."""
    of = of_horizon(view)
    if view.own_value <= 0:  # also where it is not known
        return {"told_share": "", "of": of}
    return {"told_share": "offered_share" if happened is None else "posted_share", "of": of}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    out = text.fields(view, names)
    return {**out, "offered_share": share(view.offered, view.own_value)} if "offered" in out else out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one event."""
    out = text.event_fields(view, happened, names)
    if isinstance(happened.action, Offer):
        out["posted_share"] = share(happened.action.price, view.own_value)
    return out
