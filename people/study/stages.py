"""Stages: what participants go through between the quiz and the questionnaire, in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from econzoo.people.study.items import Item

PRACTICE, SURVEY, GAME = KINDS = ("practice", "survey", "game")
"""Kinds of stages: a match with programs that does not count, a page of text and questions, matches."""

STAGE_EVENT, PRACTICE_EVENT = "stage", "practice"
"""Kinds of events: a stage was reached (its number from 1), a match of practice began (its id)."""


class Setting(NamedTuple):
    """What is played in a match.

    Attributes:
        game: The game.
        params: Its parameters that are not as usual.
        role: Seat of a participant in arms with one; None: as the arm says.
        seats: Name of an arm to who sits where; of others as the arm says.
        rate: Money for one unit of payoff; None: as the payment says.
    """

    game: str
    params: dict[str, Any]
    role: int | None = None
    seats: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    rate: float | None = None


@dataclass(frozen=True)
class Stage:
    """A part of the way through a study.

    Attributes:
        kind: One of `KINDS`.
        title: Heading of a page; empty: the usual one.
        text: Before the questions of a page.
        items: The questions of a page.
        opponent: Player in all other seats of a match of practice.
        game: Of a match of practice, and of matches.
        settings: Of a match of practice the parameters that are not as in the first setting of its game; of matches
            their settings, none: those of the file.
        repetitions: Matches of each participant.
        setting_indices: Which of the study's settings the matches have.
    """

    kind: str
    title: str = ""
    text: str = ""
    items: tuple[Item, ...] = ()
    opponent: str = ""
    game: str = ""
    settings: tuple[Setting, ...] = ()
    repetitions: int = 0
    setting_indices: range = range(0)


def answers_kind(number: int) -> str:
    """Under which kind the answers of a page are kept, by the number of its stage from 0."""
    return f"stage {number + 1}"
