"""Answers of the questionnaire: what may be typed."""

from __future__ import annotations

from econzoo.people.server.form_numbers import number
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import NUMBER, TEXT, Item

LONGEST = 5000
"""Characters of an answer at most."""


def wrong_answer(asked: Item, answer: str) -> str:
    """What is wrong with an answer, in words; empty: nothing."""
    if len(answer) > LONGEST:
        return texts().say("study.too_long", most=LONGEST)
    if asked.kind == NUMBER:
        return "" if number(answer, texts().signs) is not None else texts().say("study.no_number")
    return "" if asked.kind == TEXT or answer in asked.options else texts().say("study.choose")
