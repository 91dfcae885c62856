"""Stages: what participants go through between the quiz and the questionnaire, in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econzoo.people.study.items import Item

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
