"""Selection of the texts of the double auction and their fields; the texts are in ``prompts.toml``.

Fields of all texts: name, others, money, k, rest, lower, upper, rounds. Those of turns and endings: round, value, ears,
won (or lost: without a sign). Those of events: event_round, who, whom, claim, words, price, traded_at.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core import ROUND_CEILING, ROUND_FLOOR, dollars, format_count
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_text, format_number, join_names, quote_message
from econzoo.envs.games.double_auction import ACTIONS, Offer, Say
from econzoo.envs.games.double_auction.rules import NO_VALUE, View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    talk = ["talk", *["words"] * messages] if view.talk else []
    pair = view.buyers == view.sellers == 1
    return ["buyer" if view.seat < view.buyers else "seller", "values", *talk, "pair" if pair else "market", "goal"]


def turn(view: View) -> str:
    return "talk" if view.round <= view.talk else "buy" if view.seat < view.buyers else "sell"


def ending(view: View) -> str:
    return "won" if view.payoff >= 0 else "lost"


def event(view: View, happened: Event) -> str:
    """Name of the text of an event; for an offer, whether it led to a trade."""
    if happened.fact is None:
        return event_text(ACTIONS, view, happened)
    own = "own_" if happened.seat == view.seat else ""
    return own + ("no_trade" if happened.fact.traded_at == NO_VALUE else "trade")


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    others = join_names([name for seat, name in enumerate(names) if seat != view.seat])
    middle = {"lower": str(view.buyers), "upper": str(view.buyers + 1), "rest": format_number(1 - view.k)}
    setting = {"money": dollars(view.money), "rounds": format_count(view.talk, "round")}
    return {"name": names[view.seat], "others": others, **setting, **middle}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    buys, seats = view.seat < view.buyers, range(len(names))
    ears = [f"{names[seat]} (number {seat})" for seat in seats if (seat < view.buyers) != buys]
    # Rounded in the seat's favour: a trade at the displayed value is no loss.
    value = dollars(max(view.value, 0.0), ROUND_FLOOR if buys else ROUND_CEILING)
    won = {"won": dollars(abs(view.payoff))} if view.over else {}
    return {"round": str(view.round), "value": value, "ears": " or ".join(ears), **won}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    out, action = {"event_round": str(happened.round), "who": names[happened.seat]}, happened.action
    if isinstance(action, Say):
        out |= {"whom": names[action.whom], "claim": dollars(action.claim), "words": quote_message(action.message)}
    if isinstance(action, Offer):
        out |= {"price": dollars(action.price), "traded_at": dollars(happened.fact.traded_at)}
    return out


def fact(result: Any) -> str:
    """Describe the result of an offer for spectators."""
    return "no trade" if result.traded_at == NO_VALUE else f"traded at ${dollars(result.traded_at, cents=True)}"
