"""Selection of texts and their fields; the texts are in ``prompts.toml``.

Everything here is a function of the seat's own `View`, so that hidden information cannot leak.

Fields of brief, turn and ending: name, other, seller, buyer, own_value, other_value, horizon, round, offered, price,
won (or lost: without a sign). Fields of event: those, and event_round, posted, words.
"""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import event_text, quote_message
from econzoo.envs.families.offers import horizon_text
from econzoo.envs.games.negotiation import ACTIONS, Offer
from econzoo.envs.games.negotiation.rules import SELLER, TOLERANCE, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    role = "seller" if view.seat == SELLER else "buyer"
    private = "" if view.own_value != UNKNOWN else "_of_own_value"  # unknown in a view inferred by the other seat
    keys = [role + private, "one_price" if view.horizon == 1 else "protocol"]
    if messages:
        keys.append("words")
    keys.append("other_unknown" if view.other_value == UNKNOWN else "other_known")
    if view.outside_option:
        keys.append(f"outside_{role}{private}")
    return [*keys, horizon_text(view), "goal"]


def turn(view: View) -> str:
    return "propose" if view.offered == UNKNOWN else "answer"


def ending(view: View) -> str:
    if not view.agreed:
        return "no_deal"
    done = "sold" if view.seat == SELLER else "bought"
    return done if _own_gain(view) >= 0 else f"{done}_at_a_loss"


def _own_gain(view: View) -> float:
    """Dollars won over the own value in a trade; 0 up to rounding, so that no text tells of a loss of $0."""
    rounding = TOLERANCE * max(view.money, view.own_value)
    return view.own_payoff if abs(view.own_payoff) > rounding else 0.0


event = partial(event_text, ACTIONS)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "seller": names[0],
        "buyer": names[1],
        "own_value": "unknown" if view.own_value == UNKNOWN else dollars(view.own_value),
        "other_value": "unknown" if view.other_value == UNKNOWN else dollars(view.other_value),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    out = {"round": str(view.round)}
    if view.offered != UNKNOWN:
        out["offered"] = dollars(view.offered)
    if view.over and view.agreed:
        out["price"], out["won"] = dollars(view.traded_at), dollars(abs(_own_gain(view)))
    return out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out = {"event_round": str(happened.round)}
    if isinstance(happened.action, Offer):
        out["posted"] = dollars(happened.action.price)
        out["words"] = quote_message(happened.action.message)
    return out
