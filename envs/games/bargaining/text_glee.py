"""Additional fields of the prompt set ``glee``: GLEE's order of texts, and losses since the first round.

Fields of all texts: those of `text`, and own_key and other_key, the names of both players as they stand in answers.
Fields that are texts of the table ``part``: delay, horizon, words (in brief), lost (in event), with own_lost and
other_lost, the percentages that both have lost since round 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.envs.core import read_text
from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.families.offers import convert_template, key_of
from econzoo.envs.games.bargaining import Offer, text
from econzoo.envs.games.bargaining.rules import View

FIELDS = {"format": ("money", "other", "own_key", "other_key", "add_message", "message_key")}


def answer_fields(seat: int, names: tuple[str, ...]) -> dict[str, str]:
    """Keys of both players in answers: ``alice``, ``bob``."""
    return {"own_key": key_of(names[seat]), "other_key": key_of(names[1 - seat]), "other": names[1 - seat]}


def answer_format(legal: Any, seat: int) -> str:
    """Name of the text on the answer format: an offer, with or without a message, or a decision."""
    return ("offer_words" if legal.messages else "offer") if legal.kinds[0] else "decision"


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["rules_words" if messages else "rules"]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others."""
    # GLEE tells the number of rounds only up to 20.
    horizon = "" if view.horizon == UNKNOWN or view.horizon > 20 else "horizon"
    return {"delay": _delay(view), "horizon_disclosed": horizon, "lost": _loss_text(view, happened)}


def _delay(view: View) -> str:
    if view.own_delta == UNKNOWN:
        return ""
    if view.other_delta < 0:
        return "delay_other_unknown"
    if view.own_delta == view.other_delta:
        return "delay_same" if view.own_delta < 1 else ""
    return "delay_different"


def _loss_text(view: View, happened: Event | None) -> str:
    """Name of the text on losses with an offer of the other; empty in round 1."""
    offered = happened is not None and isinstance(happened.action, Offer) and happened.seat != view.seat
    if happened is None or not offered or happened.round == 1 or view.own_delta == UNKNOWN:
        return ""
    if view.other_delta < 0:
        return "lost_own" if view.own_delta < 1 else ""
    if view.own_delta == view.other_delta:
        return "lost_own" if view.own_delta < 1 else ""
    # The factors differ, so at least one of them is below 1.
    return {(True, True): "lost_both", (True, False): "lost_own_alone"}.get(
        (view.own_delta < 1, view.other_delta < 1), "lost_other_alone"
    )


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    lost = {"own_lost": view.own_delta, "other_lost": view.other_delta}
    since = {
        name: format_number(100 * (1 - delta ** (happened.round - 1))) for name, delta in lost.items() if delta >= 0
    }
    return {**text.event_fields(view, happened, names), **since}


PLACEHOLDERS = {
    "player_name": "name",
    "rival_name": "other",
    "money_to_divide": "money",
    "inflation_message": "delay",
    "max_rounds_message": "horizon_disclosed",
    "player_1_public_name": "first",
    "player_2_public_name": "second",
}
"""Placeholders of GLEE's rules and our fields."""


def COPY(folder: Path) -> dict[str, str]:  # noqa: N802 - a constant of prompt sets
    """Read GLEE's rules and form of an offer from a copy of its repository."""
    prompts = folder / "games" / "bargaining" / "prompts"
    rules = convert_template(read_text(prompts / "rules_prompt.txt").strip(), PLACEHOLDERS, "rules_prompt.txt")
    form, plain = read_text(prompts / "offer_format.txt").strip(), {"money_to_divide": "money", "rival_name": "other"}
    keys = {**plain, "player_name_lower": "own_key", "rival_name_lower": "other_key"}
    message = {"add_message1": " and a message", "add_message2": ',\n"message": your message to {other}'}
    silent = dict.fromkeys(message, "")
    return {
        "brief.rules": rules,
        "brief.rules_words": rules,
        "format.offer": convert_template(form, keys, "offer_format.txt", silent),
        "format.offer_words": convert_template(form, keys, "offer_format.txt", message),
    }
