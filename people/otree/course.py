"""What the app of an oTree project asks for while matches are played: what follows when a page has spoken."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import in_full
from econzoo.envs.core.record.record import Record
from econzoo.people.otree.match import Held, Page, SeatedMatch
from econzoo.people.otree.words import ALONE, FULL, WITHDRAWN, Rows, StudyWords
from econzoo.people.server.site import texts
from econzoo.people.study import waiting
from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import Planned
from econzoo.people.table.match_setup import agreed_match
from econzoo.people.table.terms import USUAL, terms_of
from econzoo.people.texts import clock

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


REMEMBERED = 500
"""Matches that stay open in memory."""


class Turned(NamedTuple):
    """What follows when a page has spoken.

    Attributes:
        room: To be kept.
        place: Of whose page it was; None: the study is full.
        number: Of the match in the plan; None: there is none.
        text: Of the match, to be kept; None: it has not begun.
        pages: What pages show now, by the id of whose they are.
        outcome: `FULL`, `ALONE`, `WITHDRAWN`, or empty: they go on.
    """

    room: dict[int, list[Any]]
    place: int | None
    number: int | None
    text: str | None
    pages: dict[int, Page]
    outcome: str


class OTreeStudy(StudyWords):
    """A study, for its app.

    Args:
        path: Its file.

    Attributes:
        blinded: Whether participants must not learn who is a program.
        hurried: Whether nothing takes time, as in a test.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.blinded = any(arm.blinded for arm in self.study.arms)
        self.hurried = False
        self._opened: OrderedDict[str, SeatedMatch] = OrderedDict()

    @property
    def _paced(self) -> bool:
        return self.blinded and not self.hurried

    # -- while matches are played ------------------------------------------------------------------------------

    def polled(
        self, room: Mapping[int, list[Any]], id: int, repetition: int, data: Any, rows: Rows, now: float
    ) -> Turned:
        """What follows when a page has spoken.

        Args:
            room: As it was kept.
            id: Of whose page it is.
            repetition: Which match it is, from 0.
            data: What it said: ``withdraw``, an answer (``move``), or nothing: it is still open.
            rows: What is kept of matches.
            now: The clock on the wall.
        """
        said = data if isinstance(data, Mapping) else {}
        with self._speaking():
            there = Room(self.study, room)
            place = there.come(id, repetition, now)
            if place is None:
                return Turned(there.kept, None, None, None, {id: _over("full", texts().say("study.full"))}, FULL)
            if said.get("withdraw"):
                there.leave(place, WITHDRAWN)
            match = self._own[place][repetition]
            text, pages = self._turn(there, match, place, rows(match.number), said.get("move"), now)
            return Turned(there.kept, place, match.number, text, pages, there[place].gone)

    def _turn(
        self, there: Room, match: Planned, place: int, text: str | None, move: Any, now: float
    ) -> tuple[str | None, dict[int, Page]]:
        """The text of a match, if it has begun by now, and what pages show."""
        id, what = there[place].id, waiting.WAIT
        if text is None and not there[place].gone:
            what = self._verdict(there, match, now)
            text = self.begin(match, there.here(match, now)) if what == waiting.BEGIN else None
        if what == waiting.ALONE:
            there.leave(place, ALONE)
        if text is not None:
            text, pages = self._play(there, match, text, place, move)
            return text, {**pages, **({id: _over("left", "")} if there[place].gone else {})}
        over = what == waiting.SKIP or there[place].gone
        return None, {id: _over("left", "") if over else self._waiting(there, match, place, now)}

    def _verdict(self, there: Room, match: Planned, now: float) -> str:
        """What follows now for who waits for a match."""
        waits, here = there.waiting(match, now), there.here(match, now)
        held = all(waits[place] >= self._hold(place, match) for place in here)
        return waiting.verdict(self.study, match.people, waits, here, there.gone(match), held)

    def _hold(self, place: int, match: Planned) -> float:
        drawn = random.Random(f"{self.study.name}/{place}/{match.number}")
        return drawn.uniform(*waiting.HOLD) if self._paced else 0.0

    def begin(self, match: Planned, here: list[int]) -> str:
        """The text of a match that begins with those who are there."""
        players = waiting.players_of(self.study, match, here)
        params = {**self._options, **self.study.settings[match.setting]}
        terms = terms_of(self.study.time.move, USUAL.player, self.study.leaving.policy)
        return Held.new(*agreed_match(self.study.game, players, match.seed, params, terms)).text

    def _play(self, there: Room, match: Planned, text: str, place: int, move: Any) -> tuple[str, dict[int, Page]]:
        """The text of a match after a page has spoken, and what all its pages show."""
        live, own = self.match(text), match.players.index(place)
        live.go_on()
        given = {str(key): str(value) for key, value in move.items()} if isinstance(move, Mapping) else None
        problems = live.answer(own, given) if given is not None and own in live.people else None
        seats = {match.players.index(one): who for one, who in there.of(match).items()}
        for seat, one in seats.items():
            if one.gone and seat in live.people:
                live.leave(seat)
        pages = {
            one.id: live.page(seat, problems if seat == own else None) if seat in live.people else _over("left", "")
            for seat, one in seats.items()
            if one.repetition == match.repetition
        }
        self._remember(live)
        return live.text, pages

    def match(self, text: str) -> SeatedMatch:
        """A match, opened if it is not."""
        found = self._opened.pop(Held(text).id, None)
        return found if found is not None and found.text == text else SeatedMatch(text, self._paced)

    def _remember(self, match: SeatedMatch) -> None:
        self._opened[Held(match.text).id] = match
        if len(self._opened) > REMEMBERED:
            self._opened.popitem(last=False)

    def _waiting(self, there: Room, match: Planned, place: int, now: float) -> Page:
        left = max(0, round(self.study.time.waiting - there.waiting(match, now).get(place, 0.0)))
        lead = texts().say("study.wait_next" if match.repetition else "study.wait")
        told = texts().say("study.wait_limit", clock=clock(left), follows=self._telling({}).alone)
        return {"state": "waiting", "waiting": lead, "time": told, "over": False}

    def record(self, text: str) -> Record:
        """Of a match; while it goes on, as if it were paused now."""
        with self._speaking():
            return self.match(text).record

    # -- bots --------------------------------------------------------------------------------------------------

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Nothing takes time."""
        self.hurried = True
        try:
            yield
        finally:
            self.hurried = False

    def example(self, page: Page) -> dict[str, str]:
        """An answer to a page: the last form, the least numbers, the first options."""
        form = page["forms"][-1]
        given = {one["key"]: self._typed(one) for one in form["inputs"]}
        return {**given, "kind": form["buttons"][0][0], "number": str(page["number"])}

    def _typed(self, one: Page) -> str:
        if one["sort"] == "option":
            return str(one["options"][0])
        if one["sort"] != "number":
            return "hello"
        least = one.get("minimum", min(0, one.get("maximum", 0)))
        return self._site.texts.numbers(in_full(least))


def _over(state: str, told: str) -> Page:
    """The page of who does not play, or not any more."""
    return {"state": state, "over": True, "notes": [told] if told else [], "payoff": ""}
