"""Answers to survey items: what was sent with a form, in the form in which it is kept, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from econzoo.envs.core.contract.validation import format_exact
from econzoo.people.server.fields import parse_number
from econzoo.people.server.site import texts
from econzoo.people.study.items import BOX, CHOICE, IMAGE, LIKERT, MULTIPLE, NUMBER, SLIDER, TEXT, TICKED_ANSWER, Item

MAX_ANSWER_LENGTH = 5000
"""Characters of an answer at most."""

GROUPING_THRESHOLD = 10_000
"""Least number that is shown with signs of thousands."""

MISSING_TEXTS = {
    CHOICE: "study.choose",
    MULTIPLE: "study.choose",
    LIKERT: "survey.point",
    SLIDER: "survey.slide",
    NUMBER: "study.no_number",
    TEXT: "survey.write",
    BOX: "survey.tick",
}
"""Kind of an item to what is said where no answer was given."""


class Answer(NamedTuple):
    """An answer to an item.

    Attributes:
        value: As it is kept: numbers with all digits, several options as a JSON list; empty: nothing was answered.
        problem: What is wrong with it, in words; empty: nothing.
    """

    value: str
    problem: str = ""


class Answers(NamedTuple):
    """Answers to the items of a page.

    Attributes:
        values: By the number of the item, from 0.
        problems: What is wrong, by the name of the input.
    """

    values: dict[int, str]
    problems: dict[str, str]


def read_answers(items: Sequence[Item], prefix: str, given: Mapping[str, str]) -> Answers:
    """What was answered on a page.

    Args:
        items: What was asked.
        prefix: Beginning of the names of the inputs, before a dot and the number of the item.
        given: What the form has sent.
    """
    kept, problems = {}, {}
    for number, item in enumerate(items):
        if item.kind == IMAGE:
            continue
        name = f"{prefix}.{number}"
        kept[number], wrong = read_answer(item, name, given)
        if wrong:
            problems[name] = f"{item.question} {wrong}"
    return Answers(kept, problems)


def read_answer(item: Item, name: str, given: Mapping[str, str]) -> Answer:
    """What was answered to an item.

    Args:
        item: What was asked.
        name: Of its input; of each of several options ``NAME.NUMBER``.
        given: What the form has sent.
    """
    if item.kind == MULTIPLE:
        ticked = [option for place, option in enumerate(item.options) if f"{name}.{place}" in given]
        typed = json.dumps(ticked, ensure_ascii=False) if ticked else ""
    else:
        typed = given.get(name, "").strip()
    if not typed:
        return Answer("", "" if item.may_be_empty else texts().say(MISSING_TEXTS[item.kind]))
    if len(typed) > MAX_ANSWER_LENGTH:
        return Answer("", texts().say("study.too_long", most=MAX_ANSWER_LENGTH))
    if item.kind in (NUMBER, SLIDER):
        return _parse_number(item, typed)
    if item.kind in (MULTIPLE, TEXT) or typed in ((TICKED_ANSWER,) if item.kind == BOX else item.scale):
        return Answer(typed)
    return Answer("", texts().say(MISSING_TEXTS[item.kind]))


def _parse_number(item: Item, typed: str) -> Answer:
    """A number as the language has it; browsers send that of a slider as all languages have it."""
    read = _parse_slider(typed) if item.kind == SLIDER else parse_number(typed)
    if isinstance(read, str):
        return Answer("", texts().say(MISSING_TEXTS[NUMBER]))
    return Answer(format_exact(read)) if item.accepts_number(read) else Answer("", describe_bounds(item))


def _parse_slider(typed: str) -> float | str:
    try:
        return float(typed) if len(typed) <= 40 and float(typed) - float(typed) == 0 else typed
    except ValueError:
        return typed


def describe_bounds(item: Item) -> str:
    """Which numbers an item takes, in words; empty: all of them."""
    low, high = (None if one is None else format_number(one) for one in (item.least, item.most))
    if low is None and high is None:
        return ""
    told = "survey.from_to" if low and high else "survey.at_least" if low else "survey.at_most"
    return texts().say(told, **{name: one for name, one in (("least", low), ("most", high)) if one is not None})


def format_number(number: float) -> str:
    """A number as people read it; one of four digits, which may be a year, is not grouped."""
    return texts().localize_numbers(f"{number:,.12g}" if abs(number) >= GROUPING_THRESHOLD else f"{number:.12g}")
