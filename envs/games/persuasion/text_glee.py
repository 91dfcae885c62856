"""Additional fields of the prompt set ``glee``: GLEE's order, and counts for myopic buyers.

Fields of all texts: those of `text`, and buyer, the name of the buyer, or what a myopic one is called; in event also
statistics, a text of the table ``part``. Counts can be told where the setting has ``statistics="counts"``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.families.offers import convert_template, read_texts
from econzoo.envs.games.persuasion import ACTIONS, text
from econzoo.envs.games.persuasion.rules import BUYER, SELLER, View

FIELDS = {
    "format": ("other",),
    "brief": ("prior", "low_worth", "high_worth", "price", "rounds", "buyer", "buyer_first", "seller"),
}


def answer_fields(seat: int, names: tuple[str, ...]) -> dict[str, str]:
    """Name of the recipient."""
    return {"other": names[1 - seat]}


def answer_format(legal: Any, seat: int) -> str:
    """Name of the text that asks for an answer: a message, a recommendation, or a decision with words or without."""
    if legal.kinds[ACTIONS.index["recommend"]]:
        return "recommendation"
    return "message" if legal.kinds[ACTIONS.index["say"]] else "decision_words" if legal.messages else "decision"


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    role = "seller" if view.seat == SELLER else "buyer"
    unknown = view.seat == BUYER and view.high_value == UNKNOWN
    return [f"{role}_myopic" if view.myopic else role, *(["own_values"] if unknown else [])]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others."""
    worth = "values" if view.high_value != UNKNOWN else "no_values"
    knows = "buyer_knows_prior" if view.buyer_knows_prior else "buyer_without_prior"
    if view.seat == BUYER:
        worth = "seller_knows" if view.seller_knows_value else "seller_does_not_know"
        knows = "prior" if view.prior != UNKNOWN else "no_prior"
    return {"values_disclosed": worth, "prior_disclosed": knows, "statistics": _statistics(view)}


def _statistics(view: View) -> str:
    """Name of the text on past rounds for a myopic buyer."""
    if view.seat == SELLER or not view.myopic:
        return "header"
    if view.sold != UNKNOWN:
        return "counts" if view.sold else "nothing_sold"
    return "first" if view.bought_share == UNKNOWN else "shares"


def turn(view: View) -> str:
    form = f"{text.form(view)}{'_myopic' if view.myopic else ''}"
    return form if view.seat == SELLER else "decide"


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    buyer = "the buyer" if view.myopic else names[BUYER]
    own = {"buyer": buyer, "buyer_first": f"{buyer[:1].upper()}{buyer[1:]}", "seller": names[SELLER]}
    return {**text.constant_fields(view, names), **own}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {**text.fields(view, names), **_count_fields(view)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    shares = {name: value for name, value in text.fields(view, names).items() if name.endswith("_share")}
    return {**text.event_fields(view, happened, names), **shares, **_count_fields(view)}


def _count_fields(view: View) -> dict[str, str]:
    if UNKNOWN in (view.sold, view.sold_low):
        return {}
    place = int(view.sold) + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10 if place % 100 not in (11, 12, 13) else 0, "th")
    return {
        "sold": format_number(view.sold),
        "sold_high": format_number(view.sold - view.sold_low),
        "place": f"{place}{ending}",
    }


PLACEHOLDERS = {
    "c": "low_worth",
    "v": "high_worth",
    "p": "prior",
    "product_price": "price",
    "total_rounds": "rounds",
    "_seller_name": "seller",
    "seller_p_message": "prior_disclosed",
    "seller_cv_message": "values_disclosed",
    "buyer_p_message": "prior_disclosed",
    "buyer_cv_message": "values_disclosed",
}
"""Placeholders of GLEE's rules, and the fields that stand for them; those of the parties and rounds are texts."""


def COPY(folder: Path) -> dict[str, str]:  # noqa: N802 - a constant of prompt sets
    """Read GLEE's rules and forms of answers from a copy of its repository."""
    prompts, out = folder / "games" / "persuasion" / "prompts", {}
    roles = read_texts(prompts / "rules_prompt.json", "seller", "buyer")
    for role, rules in zip(("seller", "buyer"), roles, strict=True):
        for suffix, texts in PLACEHOLDER_TEXTS.items():
            out[f"brief.{role}{suffix}"] = convert_template(rules, PLACEHOLDERS, "rules_prompt.json", texts)
    names = {"seller_text": "message", "seller_binary": "recommendation"}
    names |= {"buyer_binary": "decision", "buyer_text": "decision_words"}
    forms = read_texts(prompts / "format_prompt.json", *names)
    for name, form in zip(names.values(), forms, strict=True):
        out[f"format.{name}"] = convert_template(form, {"rival_name": "other"}, "format_prompt.json")
    return out


PLACEHOLDER_TEXTS: dict[str, dict[str, str]] = {
    "": {
        "seller_intro": "You are {name}, and you sell products to {buyer} for ${price} each. Your messages are"
        " passed on.",
        "buyer_v1": "{buyer}, the buyer",
        "buyer_v2": "{buyer}",
        "buyer_v2_cap": "{buyer_first}",
        "buyer_v3": "{buyer}, the buyer",
        "myopic_know_statistics": "",
        "rounds_prior": "In each of {rounds} rounds {seller} draws a product at random, sees its quality, and sends you"
        " a recommendation. You buy it or pass; what you pass on is gone. At the end of the round,",
    },
    "_myopic": {
        "seller_intro": "You are {name}, and you sell products to random buyers for ${price} each. Your messages are"
        " passed on.",
        "buyer_v1": "random buyers",
        "buyer_v2": "the buyers",
        "buyer_v2_cap": "The buyers",
        "buyer_v3": "one of the buyers",
        "myopic_know_statistics": " nor any product before, but knows how many you have sold and how many were good",
        "rounds_prior": "For every buyer {seller} draws a product at random, sees its quality, and sends the buyer a"
        " recommendation. You see how many products were sold so far and how many of them were good. You buy yours or"
        " pass; what you pass on is gone. After your decision",
    },
}
"""Texts for the placeholders whose words stand in GLEE's program, not in its templates."""
