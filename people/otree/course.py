"""What the app of an oTree project asks for while matches are played: what follows when a page has spoken."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import in_full
from econzoo.envs.core.record.record import Record
from econzoo.people.otree.match import Held, Page, SeatedMatch
from econzoo.people.otree.words import FULL, WITHDRAWN, Rows, Sat, StudyWords
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import HUMAN
from econzoo.people.study.matching import Planned
from econzoo.people.study.pairing import HOLD, SKIP, Pairing, Standing, Step, Waiter
from econzoo.people.study.roster import Roster
from econzoo.people.table.match_setup import agreed_match
from econzoo.people.table.terms import LONGEST, USUAL, terms_of
from econzoo.people.texts import clock

AWAY = 75.0
"""Seconds without a sign of an open page after which somebody is away; hidden pages may speak once a minute only."""


class Guest(NamedTuple):
    """Somebody who was admitted.

    Attributes:
        id: Under which oTree knows them in their group.
        place: In the randomisation table; None: no match of theirs has begun.
        repetition: Which match they wait for or play, from 0.
        since: When they came to it.
        seen: When their page was last open.
        gone: Why they have left for good; empty: they have not.
    """

    id: int
    place: int | None
    repetition: int
    since: float
    seen: float
    gone: str = ""


class Room:
    """Everybody who was admitted, and who sits in which match.

    Args:
        pairing: Of the study.
        kept: As `kept` gave it; empty: nobody has come.
    """

    def __init__(self, pairing: Pairing, kept: Mapping[str, Any]) -> None:
        self._pairing, self._away = pairing, pairing.study.leaving.away
        self.guests = {id: Guest(id, *one) for id, one in kept.get("guests", {}).items()}
        self._seats: dict[int, dict[int, int]] = dict(kept.get("seats", {}))
        self._see()

    @property
    def kept(self) -> dict[str, Any]:
        """To be kept."""
        return {"guests": {id: [*one[1:]] for id, one in self.guests.items()}, "seats": self._seats}

    def _see(self) -> None:
        self._roster = Roster(self._pairing.table, self._pairing.own, self._seats, self._seats)

    def come(self, id: int, repetition: int, now: float) -> None:
        """Somebody's page is open."""
        one = self.guests.get(id, Guest(id, None, repetition, now, now))
        since = now if one.repetition != repetition else one.since
        self.guests[id] = one._replace(repetition=repetition, since=since, seen=now)

    def leave(self, id: int, why: str) -> None:
        """Somebody leaves for good."""
        self.guests[id] = self.guests[id]._replace(gone=self.guests[id].gone or why)

    def sit(self, match: Planned, names: Mapping[int, str]) -> None:
        """A match begins with those who have its seats."""
        people = {seat: who for seat, who in enumerate(match.players) if isinstance(who, int)}
        self._seats[match.number] = people
        self._see()
        for seat, name in names.items():
            self.guests[int(name)] = self.guests[int(name)]._replace(place=people[seat])

    def own(self, id: int) -> list[Planned]:
        """The matches in which somebody has a seat and that have begun, in order."""
        place = self.guests[id].place
        return [one for one in self._roster.of(place) if one.number in self._seats and place in one.people]

    def match(self, id: int) -> Planned | None:
        """The match in which somebody sits now; None: they wait for it."""
        return next((one for one in self.own(id) if one.repetition == self.guests[id].repetition), None)

    def sat(self, id: int) -> Sat | None:
        """The matches that somebody has sat in; None: they came when all places were taken."""
        one = self.guests[id]
        return None if one.gone == FULL else [[own.number, own.players.index(one.place or 0)] for own in self.own(id)]

    def at(self, match: Planned) -> dict[int, Guest]:
        """Who sits in a match, by seat."""
        placed = {one.place: one for one in self.guests.values() if one.place is not None}
        return {seat: placed[who] for seat, who in enumerate(match.players) if isinstance(who, int) and who in placed}

    def has_left(self, one: Guest, now: float) -> bool:
        """Whether somebody comes to no match any more, or has closed the page for longer than the file allows."""
        return bool(one.gone) or bool(self._away and now - one.seen >= max(self._away, AWAY))

    def steps(self, now: float, hold: Callable[[Guest], float]) -> list[Step]:
        """What happens now to those who wait.

        Args:
            now: The clock on the wall.
            hold: Seconds that somebody waits at least.
        """
        waits = [one for one in self.guests.values() if not one.gone and self.match(one.id) is None]
        waiters = [
            Waiter(
                str(one.id),
                one.place,
                one.repetition,
                now - one.since,
                now - one.seen < AWAY,
                now - one.since >= hold(one),
            )
            for one in sorted(waits, key=lambda one: one.since)
        ]
        placed = {
            one.place: Standing(one.repetition, self.has_left(one, now))
            for one in self.guests.values()
            if one.place is not None
        }
        return self._pairing.steps(self._roster.begun, placed, waiters)


REMEMBERED = 500
"""Matches that stay open in memory."""


class Turned(NamedTuple):
    """What follows when a page has spoken.

    Attributes:
        room: To be kept.
        sat: The matches in which somebody has sat, by the id of whose page it is and of who plays with them; None: they
            were not admitted.
        number: Of the match in the plan; None: there is none.
        text: Of the match, to be kept; None: it has not begun.
        pages: What pages show now, by the id of whose they are.
        outcome: `FULL`, `ALONE`, `WITHDRAWN`, or empty: they go on.
    """

    room: dict[str, Any]
    sat: dict[int, Sat | None]
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
        self._pairing = Pairing(self.study)
        self._opened: OrderedDict[str, SeatedMatch] = OrderedDict()

    @property
    def _paced(self) -> bool:
        return self.blinded and not self.hurried

    # -- while matches are played ------------------------------------------------------------------------------

    def polled(self, room: Mapping[str, Any], id: int, repetition: int, data: Any, rows: Rows, now: float) -> Turned:
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
            there = Room(self._pairing, room)
            there.come(id, repetition, now)
            if said.get("withdraw"):
                there.leave(id, WITHDRAWN)
            waits = there.match(id) is None and not there.guests[id].gone
            step = self._settle(there, id, now) if waits else None
            match, text = there.match(id), None
            pages = {id: self._without_match(there, id, step is not None and step.what == SKIP, now)}
            if match is not None:
                text = self._begin(step.match) if step and step.match else str(rows(match.number))
                text, pages = self._play(there, match, text, id, said.get("move"), now)
            number, sat = None if match is None else match.number, {one: there.sat(one) for one in (id, *pages)}
            return Turned(there.kept, sat, number, text, pages, there.guests[id].gone)

    def _settle(self, there: Room, id: int, now: float) -> Step | None:
        """Does what follows now for somebody who waits; for others, when their own pages ask."""
        step = next((one for one in there.steps(now, self._hold) if str(id) in one.names.values()), None)
        if step is not None and step.match is not None:
            there.sit(step.match, step.names)
        elif step is not None and step.what != SKIP:
            there.leave(id, step.what)
        return step

    def _without_match(self, there: Room, id: int, skipped: bool, now: float) -> Page:
        """The page of somebody who plays no match."""
        one = there.guests[id]
        if one.gone == FULL:
            return _over("full", texts().say("study.full"))
        return _over("left", "") if skipped or one.gone else self._waiting(one, now)

    def _hold(self, one: Guest) -> float:
        drawn = random.Random(f"{self.study.name}/{one.id}/{one.repetition}")
        return drawn.uniform(*HOLD) if self._paced else 0.0

    def _begin(self, match: Planned) -> str:
        """The text of a match that begins."""
        players = [HUMAN if isinstance(who, int) else who for who in match.players]
        played = self.study.settings[match.setting]
        params = {**self._options[played.game], **played.params}
        leaving = self.study.leaving
        terms = terms_of(self.study.time.move, USUAL.player, leaving.policy, leaving.missed or LONGEST)
        return Held.new(*agreed_match(played.game, players, match.seed, params, terms)).text

    def _play(
        self, there: Room, match: Planned, text: str, id: int, move: Any, now: float
    ) -> tuple[str, dict[int, Page]]:
        """The text of a match after a page has spoken, and what all its pages show."""
        live, seats = self.match(text), there.at(match)
        own = next(seat for seat, one in seats.items() if one.id == id)
        live.go_on()
        given = {str(key): str(value) for key, value in move.items()} if isinstance(move, Mapping) else None
        problems = live.answer(own, given) if given is not None and own in live.people else None
        for seat, one in seats.items():
            if seat in live.people and one.repetition == match.repetition and there.has_left(one, now):
                live.leave(seat)
        pages = {
            one.id: live.page(seat, problems if seat == own else None)
            if seat in live.people and not one.gone
            else _over("left", "")
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

    def _waiting(self, one: Guest, now: float) -> Page:
        left = max(0, round(self.study.time.waiting - (now - one.since)))
        lead = texts().say("study.wait_next" if one.repetition else "study.wait")
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
