"""Additional fields of the prompt set ``glee``: GLEE's order, its goals, and its John.

Fields of all texts: those of `text`, and header, which is a text of the table ``part``. Fields of brief that are such
texts too: known (what the good is worth to the other) and later (what follows if no price is accepted).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.families.offers import convert_template, read_texts
from econzoo.envs.games.negotiation import ACTIONS, text
from econzoo.envs.games.negotiation.rules import SELLER, View

FIELDS = {"format": ("other", "offer_type")}

# The spelling is GLEE's.
LEAVE_WORDS = ("SellToJhon | BuyFromJhon | DealWithJhon", "BuyFromJhon | SellToJhon | DealWithJhon")
"""GLEE's words for dealing with John, by seat: the first is asked for, all are read."""


def answer_fields(seat: int, names: tuple[str, ...]) -> dict[str, str]:
    """The seat's word for dealing with John."""
    return {"leave": LEAVE_WORDS[seat], "other": names[1 - seat], "verb": "sell" if seat == SELLER else "buy"}


def answer_format(legal: Any, seat: int) -> str:
    """Name of the text that asks for an answer: of an offer of the role, with words or without, or of a decision."""
    role = "seller" if seat == SELLER else "buyer"
    return f"{role}_offer{'_words' if legal.messages else ''}" if legal.kinds[0] else "decision"


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    role = "seller" if view.seat == SELLER else "buyer"
    return [role if view.own_value != UNKNOWN else f"{role}_of_own_value"]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others."""
    # GLEE tells the number of rounds only up to 20; UNKNOWN is below 1.
    several = 1 < view.horizon <= 20
    header = "" if not several else "header" if happened is None else "event_header"
    return {
        "known": _value_text(view),
        "header": header,
        "rounds": "rounds" if several else "",
        "later": _no_deal_text(view),
    }


def _value_text(view: View) -> str:
    return "other_unknown" if view.other_value == UNKNOWN else "other_known"


def _no_deal_text(view: View) -> str:
    role = "seller" if view.seat == SELLER else "buyer"
    alone = "" if view.outside_option and view.own_value != UNKNOWN else "_alone"
    return f"{role}_{'once' if view.horizon == 1 else 'later'}{alone}"


def turn(view: View) -> str:
    if view.offered == UNKNOWN:
        return "propose" if view.round == 1 else "counter"
    last = "_last" if view.round == view.horizon else ""
    return f"answer{last}" if view.outside_option else f"answer{last}_alone"


def event(view: View, happened: Event) -> str:
    """Name of the text of an event; a rejection in the last round ends the negotiation."""
    name = text.event(view, happened)
    ends = ACTIONS.kind_and_message(happened.action)[0] == "reject" and happened.round == view.horizon
    return f"{name}_last" if ends else name


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    verb = "sell" if view.seat == SELLER else "buy"
    return {**text.constant_fields(view, names), "verb": verb, "john": "to" if verb == "sell" else "from"}


PLACEHOLDERS = {
    "player_name": "name",
    "rival_name": "other",
    "self_final_value": "own_value",
    "complete_information_message": "known",
    "next_rounds_info_seller": "later",
    "next_rounds_info_buyer": "later",
}
"""Placeholders of GLEE's rules and our fields."""


def COPY(folder: Path) -> dict[str, str]:  # noqa: N802 - a constant of prompt sets
    """Read GLEE's rules and form of an offer from a copy of its repository."""
    prompts = folder / "games" / "negotiation" / "prompts"
    seller, buyer = read_texts(prompts / "rules_prompt.json", "seller", "buyer")
    out = {
        name: convert_template(rules, PLACEHOLDERS, "rules_prompt.json")
        for name, rules in (("seller", seller), ("buyer", buyer))
    }
    texts = {f"brief.{name}": rules for name, rules in out.items()}
    for name, file in (("offer_words", "offer_format.json"), ("offer", "offer_format_messages_unallowed.json")):
        for role, form in zip(("seller", "buyer"), read_texts(prompts / file, "seller", "buyer"), strict=True):
            kind = "offer" if role == "seller" else "counteroffer"
            texts[f"format.{role}_{name}"] = convert_template(form, {"rival_name": "other"}, file, {"offer_type": kind})
    return texts
