"""Selection of bargaining texts and their fields; the texts are in ``prompts.toml``.

Everything here is a function of the seat's own `View`, so that hidden information cannot leak.

Fields of brief, turn and ending: name, other, first, second, money, own_kept, other_kept, worth_2, worth_3, own_loss,
other_loss, horizon, round, own_worth, offered, offered_other, own_gain, own_payoff. Additional fields of event:
event_round, own, others, words. The field worth of a turn is a text of its own.
"""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import ROUND_FLOOR, dollars
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from econzoo.envs.families.offers import horizon_text
from econzoo.envs.games.bargaining import ACTIONS, Offer
from econzoo.envs.games.bargaining.rules import View

FIELDS = {"brief": ("own_loss", "other_loss")}
"""Fields that custom texts may use in addition: the loss from one round to the next."""


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    keys = ["game", "protocol"]
    if messages:
        keys.append("words")
    if view.horizon != 1:  # with one round there is no delay
        keys += [_delay(view), "other_unknown" if view.other_delta < 0 else "other_known"]
    return [*keys, horizon_text(view)]


def _delay(view: View) -> str:
    """Name of the text on the own discount factor, which is unknown in a view inferred by another seat."""
    if view.own_delta == UNKNOWN:
        return "own_delay_cost_only"
    return "no_delay_cost" if view.own_delta == 1.0 else "delay_cost"


def turn(view: View) -> str:
    return "answer" if view.offered >= 0 else "propose"


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others: the current value of a dollar, if it changes."""
    return {"worth": "" if view.own_delta in (UNKNOWN, 1.0) or view.horizon == 1 else "worth"}


def ending(view: View) -> str:
    return "agreed" if view.agreed else "no_deal"


event = partial(event_text, ACTIONS)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "first": names[0],
        "second": names[1],
        "money": dollars(view.money, ROUND_FLOOR),  # an ask for the displayed amount must be legal
        "own_kept": "unknown" if view.own_delta == UNKNOWN else format_number(100 * view.own_delta),
        "other_kept": format_number(100 * view.other_delta) if view.other_delta >= 0 else "unknown",
        "worth_2": dollars(view.own_delta),
        "worth_3": dollars(view.own_delta**2),
        "own_loss": "unknown" if view.own_delta == UNKNOWN else format_number(100 * (1 - view.own_delta)),
        "other_loss": format_number(100 * (1 - view.other_delta)) if view.other_delta >= 0 else "unknown",
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    out = {"round": str(view.round), "own_worth": dollars(view.own_delta ** (view.round - 1))}
    if view.offered >= 0:
        out["offered"] = dollars(view.offered)
        out["offered_other"] = dollars(view.money - view.offered)
    if view.over:
        out["own_gain"] = dollars(max(view.own_gain, 0.0))
        out["own_payoff"] = dollars(view.own_payoff)
    return out


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out = {"event_round": str(happened.round)}
    if isinstance(happened.action, Offer):
        gain = happened.action.gain
        own, others = (gain, view.money - gain) if happened.seat == view.seat else (view.money - gain, gain)
        out["own"], out["others"] = dollars(own), dollars(others)
        out["words"] = quote_message(happened.action.message)
    return out
