"""What the texts of the set ``short`` need beyond those of the game: what a price wins, in percent of the own value.

Fields of turn: those of `text`, and won_share. There outcome is a text of the table ``part``, empty where the own value
is not known or nothing.
"""

from __future__ import annotations

from econzoo.envs.core.contract.game import UNKNOWN, Event
from econzoo.envs.core.faces.prompts import share
from econzoo.envs.families.offers.horizon import horizon_text, of_horizon
from econzoo.envs.games.negotiation import text
from econzoo.envs.games.negotiation.rules import SELLER, View


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
    if view.offered == UNKNOWN or view.own_value <= 0:  # also where it is not known
        return {"outcome": "", "of": of}
    won = _won(view)
    return {"outcome": "win" if won > 0 else "lose" if won < 0 else "nothing", "of": of}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from turn to turn."""
    out = text.fields(view, names)
    return {**out, "won_share": share(abs(_won(view)), view.own_value)} if "offered" in out else out


def _won(view: View) -> float:
    """Dollars that the price that waits for an answer wins."""
    won = view.offered - view.own_value
    return won if view.seat == SELLER else -won


event_fields = text.event_fields
