"""Stages of a study between quiz and questionnaire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.people.study.items import Item

PRACTICE, SURVEY, GAME = KINDS = ("practice", "survey", "game")
"""Kinds of stages: unpaid practice match with programs, page of text and questions, matches."""

STAGE_EVENT, PRACTICE_EVENT = "stage", "practice"
"""Kinds of events: a stage was reached (its number from 1), a practice match began (its id)."""


class Setting(NamedTuple):
    """Setting of a match.

    Attributes:
        person_seat: Seat of the participant in arms with one; None: as in the arm.
        seats: Arm to its seats; default: those of the arm.
        rate: Money per unit of payoff; None: the rate of the payment.
    """

    game: str
    params: dict[str, Any]
    person_seat: int | None = None
    seats: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    rate: float | None = None


@dataclass(frozen=True)
class Stage:
    """A stage of a study.

    Attributes:
        title: Heading of a survey page; empty: default.
        settings: Settings of the matches, empty: those of the file; for practice, one setting that overrides the
            first setting of the game.
        setting_indices: Indices of the settings of the matches.
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
    """Return the kind under which answers of a survey stage, numbered from 0, are stored."""
    return f"stage {number + 1}"
