"""Additional fields of the prompt set ``short``: gain from a price, in percent of the own value.

Fields of turn: those of `text`; named, the other's last price, and won_share, the gain from it. Texts of the table
``part`` fill outcome, which is empty if the own value is unknown or 0, and received, which is empty before the other's
first price.
"""

from __future__ import annotations

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_share
from econzoo.envs.families.offers import horizon_suffix, horizon_text
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
    """Texts inserted as fields of others."""
    received = "received" if view.other_price != UNKNOWN else ""
    return {"received": received, "outcome": _outcome_text(view), "of": horizon_suffix(view)}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    out = text.fields(view, names)
    if view.other_price == UNKNOWN:
        return out
    return {**out, "named": dollars(view.other_price), "won_share": format_share(abs(_own_gain(view)), view.own_value)}


def _outcome_text(view: View) -> str:
    if view.other_price == UNKNOWN or view.own_value <= 0:  # also where it is not known
        return ""
    won = _own_gain(view)
    return "win" if won > 0 else "lose" if won < 0 else "nothing"


def _own_gain(view: View) -> float:
    """Dollars that the last price of the other wins."""
    won = view.other_price - view.own_value
    return won if view.seat == SELLER else -won


event_fields = text.event_fields
