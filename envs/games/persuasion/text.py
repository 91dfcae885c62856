"""Selection of texts and their fields; the texts are in ``prompts.toml``.

Everything here is a function of the seat's own `View` and of what it saw happen: what the rules hide cannot be told.

Fields of brief, turn and ending: name, other, price, prior, high_worth, low_worth, rounds, round, quality,
bought_share, low_share, sold, own_payoff. Fields of event: those, and event_round, words, was, worth.
"""

from __future__ import annotations

from functools import partial

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import event_text, format_number, quote_message
from econzoo.envs.games.persuasion import ACTIONS, Buy, Decline, Say
from econzoo.envs.games.persuasion.rules import HIGH, SELLER, Result, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return _seller_brief(view) if view.seat == SELLER else _buyer_brief(view, messages)


def _seller_brief(view: View) -> list[str]:
    keys = ["seller", "seller_" + form(view), "seller_prior"]
    keys.append("buyer_knows_prior" if view.buyer_knows_prior else "buyer_without_prior")
    keys.append("values" if view.seller_knows_value else "no_values")
    return [*keys, "seller_myopic" if view.myopic else "seller_long_living", _rounds(view)]


def _buyer_brief(view: View, messages: bool) -> list[str]:
    keys = ["buyer", "buyer_" + form(view), *(["buyer_messages"] if messages else []), _values(view)]
    keys.append("buyer_no_prior" if view.prior == UNKNOWN else "buyer_prior")
    keys.append("seller_knows" if view.seller_knows_value else "seller_does_not_know")
    return [*keys, "one_of_many"] if view.myopic else [*keys, "buyer_long_living", _rounds(view)]


def _rounds(view: View) -> str:
    """Name of the text on the number of rounds."""
    return "no_rounds" if view.rounds == UNKNOWN else "rounds"


def _values(view: View) -> str:
    """Name of the text on the buyer's values, which can be unknown in a view inferred by the seller."""
    return "buyer_of_own_values" if view.high_value == UNKNOWN else "buyer_values"


def form(view: View) -> str:
    """Form of the seller's signals: ``binary``, ``words`` or ``silent``."""
    return "binary" if view.binary else "words" if view.words else "silent"


def turn(view: View) -> str:
    if view.seat == SELLER:
        return form(view)
    if not view.myopic:
        return "decide"
    return "decide_first" if view.bought_share == UNKNOWN else "decide_statistics"


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Names of the texts that fill fields of others: the number of rounds after a round's number."""
    return {"of": "" if view.rounds == UNKNOWN else "of"}


def ending(view: View) -> str:
    if view.seat == SELLER:
        return "seller"
    return "one_of_many" if view.myopic else "buyer"


event = partial(event_text, ACTIONS)
"""``event(view, happened)`` names the text of an event; see `econzoo.envs.core.faces.prompts.event_text`."""


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "price": dollars(view.price),
        **({"rounds": "an unknown number of"} if view.rounds == UNKNOWN else {}),
        "prior": "unknown" if view.prior == UNKNOWN else format_number(100 * view.prior),
        "high_worth": format_worth(view, view.high_value),
        "low_worth": format_worth(view, view.low_value),
    }


def format_worth(view: View, factor: float) -> str:
    """Format the value of a quality in dollars, if known."""
    return "unknown" if factor == UNKNOWN else dollars(factor * view.price)


def quality_word(value: float) -> str:
    return "high" if value == HIGH else "low"


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    out = {"round": str(view.round)}
    if view.quality != UNKNOWN:
        out["quality"] = quality_word(view.quality)
    if view.bought_share != UNKNOWN:
        out["bought_share"], out["low_share"] = percent(view.bought_share), percent(view.low_share)
    if view.sold != UNKNOWN:
        out["sold"] = format_number(view.sold)
    if view.own_payoff != UNKNOWN:
        out["own_payoff"] = format_signed(round(view.own_payoff, 6))
    return out


def format_signed(amount: float) -> str:
    """Dollars that may be a loss, with their sign."""
    return f"-${dollars(-amount)}" if amount < 0 else f"${dollars(amount)}"


def fact(result: Result) -> str:
    """Describe the disclosed quality for spectators."""
    return f"it was of {quality_word(result.disclosed)} quality"


def percent(part: float) -> str:
    """A share in percent, to one decimal."""
    return format_number(round(100 * part, 1))


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out = {"event_round": str(happened.round)}
    if happened.fact is not None:
        out["was"] = quality_word(happened.fact.disclosed)
        out["worth"] = format_worth(view, view.high_value if happened.fact.disclosed == HIGH else view.low_value)
    if isinstance(happened.action, Say | Buy | Decline):
        out["words"] = quote_message(happened.action.message)
    return out
