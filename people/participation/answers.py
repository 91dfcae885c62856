"""Answers to survey items: parsing and validation of form values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from econzoo.envs.core.contract import format_exact
from econzoo.people.server import parse_number, texts
from econzoo.people.study import BOX, CHOICE, IMAGE, LIKERT, MULTIPLE, NUMBER, SLIDER, TEXT, TICKED_ANSWER, Item

MAX_ANSWER_LENGTH = 5000

GROUPING_THRESHOLD = 10_000
"""Smallest number shown with thousands separators."""

MISSING_TEXTS = {
    CHOICE: "study.choose",
    MULTIPLE: "study.choose",
    LIKERT: "survey.point",
    SLIDER: "survey.slide",
    NUMBER: "study.no_number",
    TEXT: "survey.write",
    BOX: "survey.tick",
}
"""Kind of item to the text for a missing answer."""


class Answer(NamedTuple):
    """An answer to an item.

    Attributes:
        value: Stored form: numbers with all digits, several options as a JSON list; empty: no answer.
        problem: Error message; empty: valid.
    """

    value: str
    problem: str = ""


class Answers(NamedTuple):
    """Answers to the items of a page.

    Attributes:
        values: Index of the item to its value.
    """

    values: dict[int, str]
    problems: dict[str, str]


def read_answers(items: Sequence[Item], prefix: str, given: Mapping[str, str]) -> Answers:
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
    """Parse the answer to an item."""
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
    """Parse a number in the language of the page; sliders are sent in a fixed format."""
    read = _parse_slider(typed) if item.kind == SLIDER else parse_number(typed)
    if isinstance(read, str):
        return Answer("", texts().say(MISSING_TEXTS[NUMBER]))
    return Answer(format_exact(read)) if item.accepts_number(read) else Answer("", describe_bounds(item))


def _parse_slider(typed: str) -> float | str:
    try:
        # The difference is NaN for NaN and infinity.
        return float(typed) if len(typed) <= 40 and float(typed) - float(typed) == 0 else typed
    except ValueError:
        return typed


def describe_bounds(item: Item) -> str:
    """Return the range of an item as text; empty: unbounded."""
    low, high = (None if one is None else format_number(one) for one in (item.least, item.most))
    if low is None and high is None:
        return ""
    key = "survey.from_to" if low and high else "survey.at_least" if low else "survey.at_most"
    return texts().say(key, **{name: one for name, one in (("least", low), ("most", high)) if one is not None})


def format_number(number: float) -> str:
    """Return a localised number; four digits, possibly a year, are not grouped."""
    return texts().localize_numbers(f"{number:,.12g}" if abs(number) >= GROUPING_THRESHOLD else f"{number:.12g}")
