"""Answers to survey items: what was sent with a form, in the form in which it is kept, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from econzoo.envs.core.contract.validation import in_full
from econzoo.people.server.fields import number_of
from econzoo.people.server.site import texts
from econzoo.people.study.items import BOX, CHOICE, IMAGE, LIKERT, MULTIPLE, NUMBER, SLIDER, TEXT, TICKED, Item

LONGEST = 5000
"""Characters of an answer at most."""

GROUPED = 10_000
"""Least number that is shown with signs of thousands."""

MISSING = {
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
        kept: As it is kept: numbers with all digits, several options as a JSON list; empty: nothing was answered.
        wrong: What is wrong with it, in words; empty: nothing.
    """

    kept: str
    wrong: str = ""


class Answers(NamedTuple):
    """Answers to the items of a page.

    Attributes:
        kept: By the number of the item, from 0.
        problems: What is wrong, by the name of the input.
    """

    kept: dict[int, str]
    problems: dict[str, str]


def read_answers(items: Sequence[Item], before: str, given: Mapping[str, str]) -> Answers:
    """What was answered on a page.

    Args:
        items: What was asked.
        before: Beginning of the names of the inputs, before a dot and the number of the item.
        given: What the form has sent.
    """
    kept, problems = {}, {}
    for number, item in enumerate(items):
        if item.kind == IMAGE:
            continue
        name = f"{before}.{number}"
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
        return Answer("", "" if item.may_be_empty else texts().say(MISSING[item.kind]))
    if len(typed) > LONGEST:
        return Answer("", texts().say("study.too_long", most=LONGEST))
    if item.kind in (NUMBER, SLIDER):
        return _number(item, typed)
    if item.kind in (MULTIPLE, TEXT) or typed in ((TICKED,) if item.kind == BOX else item.scale):
        return Answer(typed)
    return Answer("", texts().say(MISSING[item.kind]))


def _number(item: Item, typed: str) -> Answer:
    """A number as the language has it; browsers send that of a slider as all languages have it."""
    read = _plain(typed) if item.kind == SLIDER else number_of(typed)
    if isinstance(read, str):
        return Answer("", texts().say(MISSING[NUMBER]))
    return Answer(in_full(read)) if item.takes(read) else Answer("", bounds(item))


def _plain(typed: str) -> float | str:
    try:
        return float(typed) if len(typed) <= 40 and float(typed) - float(typed) == 0 else typed
    except ValueError:
        return typed


def bounds(item: Item) -> str:
    """Which numbers an item takes, in words; empty: all of them."""
    low, high = (None if one is None else shown(one) for one in (item.least, item.most))
    if low is None and high is None:
        return ""
    told = "survey.from_to" if low and high else "survey.at_least" if low else "survey.at_most"
    return texts().say(told, **{name: one for name, one in (("least", low), ("most", high)) if one is not None})


def shown(number: float) -> str:
    """A number as people read it; one of four digits, which may be a year, is not grouped."""
    return texts().numbers(f"{number:,.12g}" if abs(number) >= GROUPED else f"{number:.12g}")
