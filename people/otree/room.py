"""Who takes part in a study in oTree, in which match they are, and whose page is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import Planned

AWAY = 75.0
"""Seconds without a sign of an open page after which somebody is away; hidden pages may speak once a minute only."""


class Place(NamedTuple):
    """Somebody who was admitted.

    Attributes:
        id: Under which oTree knows them in their group.
        repetition: Which match they wait for or play, from 0.
        since: When they came to it.
        seen: When their page was last open.
        gone: Why they have left for good; empty: they have not.
    """

    id: int
    repetition: int
    since: float
    seen: float
    gone: str = ""


class Room:
    """Everybody who was admitted, by place of the randomisation table.

    Args:
        study: The study.
        kept: As `kept` gave it; empty: nobody has come.
    """

    def __init__(self, study: Study, kept: Mapping[int, list[Any]]) -> None:
        self._study = study
        self._places = {int(place): Place(*one) for place, one in kept.items()}

    @property
    def kept(self) -> dict[int, list[Any]]:
        """To be kept."""
        return {place: [*one] for place, one in self._places.items()}

    def __getitem__(self, place: int) -> Place:
        """Who has a place."""
        return self._places[place]

    def of(self, match: Planned) -> dict[int, Place]:
        """Who of a match has come, by place."""
        return {place: self._places[place] for place in match.people if place in self._places}

    def come(self, id: int, repetition: int, now: float) -> int | None:
        """The place of somebody whose page is open; the next one if they have none; None: the study is full."""
        place = next((place for place, one in self._places.items() if one.id == id), None)
        if place is None and len(self._places) < self._study.matching.participants:
            place = len(self._places)
            self._places[place] = Place(id, repetition, now, now)
        if place is not None:
            one = self._places[place]
            since = now if one.repetition != repetition else one.since
            self._places[place] = one._replace(repetition=repetition, since=since, seen=now)
        return place

    def leave(self, place: int, why: str) -> None:
        """Somebody leaves for good."""
        one = self._places[place]
        self._places[place] = one._replace(gone=one.gone or why)

    def waiting(self, match: Planned, now: float) -> dict[int, float]:
        """Seconds that each of those has waited who wait for a match."""
        wait = {
            place: one for place, one in self.of(match).items() if one.repetition == match.repetition and not one.gone
        }
        return {place: now - one.since for place, one in wait.items()}

    def here(self, match: Planned, now: float) -> list[int]:
        """Of these, whose page is open."""
        return [place for place in self.waiting(match, now) if now - self._places[place].seen < AWAY]

    def gone(self, match: Planned) -> list[int]:
        """Who does not come to a match any more."""
        return [place for place, one in self.of(match).items() if one.gone or one.repetition > match.repetition]
