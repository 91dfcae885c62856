"""Stages: what participants go through between the quiz and the questionnaire, in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from econzoo.envs.core.contract.parameters import OneOf
from econzoo.people.study.items import Item, read_items
from econzoo.people.study.settings import settings_of
from econzoo.people.study.toml_reading import Part, line, words

PRACTICE, SURVEY, GAME = KINDS = ("practice", "survey", "game")
"""Kinds of stages: a match with programs that does not count, a page of text and questions, the matches."""

STAGE, PRACTISED = "stage", "practice"
"""Kinds of events: a stage was reached (its number from 1), a match of practice began (its id)."""


@dataclass(frozen=True)
class Stage:
    """A part of the way through a study.

    Attributes:
        kind: One of `KINDS`.
        title: Heading of a page; empty: the usual one.
        text: Before the questions of a page.
        items: The questions of a page.
        against: Player in all other seats of a match of practice.
        settings: Parameters of that match that are not as usual.
    """

    kind: str
    title: str = ""
    text: str = ""
    items: tuple[Item, ...] = ()
    against: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def answers_of(number: int) -> str:
    """Under which kind the answers of a page are kept, by the number of its stage from 0."""
    return f"stage {number + 1}"


def read_stages(file: Part, game: str) -> tuple[Stage, ...]:
    """The stages of a file; of one that names none, the matches alone.

    Raises:
        ValueError: A key is not allowed or missing, or the matches do not come once.
    """
    parts = file.tables("stages")
    found = tuple(_read(part, game) for part in parts)
    if not parts:
        return (Stage(GAME),)
    if [one.kind for one in found].count(GAME) != 1:
        parts[0].wrong("", f"[[stages]] have kind = {GAME!r} not once; allowed: exactly one of them")
    return found


def _read(part: Part, game: str) -> Stage:
    kind = part.value("kind", OneOf(*KINDS), SURVEY)
    stage = Stage(kind)
    if kind == SURVEY:
        title, text = part.value("title", line(), ""), part.value("text", words(), "")
        stage = Stage(kind, title, text, read_items(part.tables("items")))
        if not (text or stage.items):
            part.wrong("", f"{part.named('items')} is missing; wanted: questions, or a text")
    elif kind == PRACTICE:
        settings, _ = settings_of(part, game)
        if len(settings) > 1:
            part.refuse("settings", "one value of each parameter")
        stage = Stage(kind, against=part.value("against", line()), settings=settings[0])
    part.done()
    return stage
