"""What the app of an oTree project asks for while matches are played: what follows when a page has spoken."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import format_exact
from econzoo.envs.core.record.record import Record
from econzoo.people.otree.otree_match import OTreeMatch, Page, TextMatchStore
from econzoo.people.otree.study_page_texts import FULL, WITHDRAWN, MatchTexts, PlayedSeats, StudyPageTexts
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import HUMAN
from econzoo.people.study.matching import PlannedMatch
from econzoo.people.study.pairing import MINIMUM_WAIT, SKIP, Pairing, ParticipantProgress, Step, Waiter
from econzoo.people.study.roster import Roster
from econzoo.people.table.match_setup import build_match
from econzoo.people.table.terms import DEFAULT_TERMS, MAX_SECONDS, build_terms
from econzoo.people.texts import format_clock

AWAY_SECONDS = 75.0
"""Seconds without a sign of an open page after which somebody is away; hidden pages may speak once a minute only."""


class Guest(NamedTuple):
    """Somebody who was admitted.

    Attributes:
        id: Under which oTree knows them in their group.
        place: In the randomisation table; None: no match of theirs has begun.
        repetition: Which match they wait for or play, from 0.
        waiting_since: When they came to it.
        last_seen: When their page was last open.
        leave_reason: Why they have left for good; empty: they have not.
    """

    id: int
    place: int | None
    repetition: int
    waiting_since: float
    last_seen: float
    leave_reason: str = ""


class Room:
    """Everybody who was admitted, and who sits in which match.

    Args:
        pairing: Of the study.
        saved_state: As `saved_state` gave it; empty: nobody has come.
    """

    def __init__(self, pairing: Pairing, saved_state: Mapping[str, Any]) -> None:
        self._pairing, self._away = pairing, pairing.study.leaving.away
        self.guests = {id: Guest(id, *one) for id, one in saved_state.get("guests", {}).items()}
        self._seats: dict[int, dict[int, int]] = dict(saved_state.get("seats", {}))
        self._update_roster()

    @property
    def saved_state(self) -> dict[str, Any]:
        """To be kept."""
        return {"guests": {id: [*one[1:]] for id, one in self.guests.items()}, "seats": self._seats}

    def _update_roster(self) -> None:
        self._roster = Roster(self._pairing.table, self._pairing.own_matches, self._seats, self._seats)

    def come(self, id: int, repetition: int, now: float) -> None:
        """Somebody's page is open."""
        one = self.guests.get(id, Guest(id, None, repetition, now, now))
        since = now if one.repetition != repetition else one.waiting_since
        self.guests[id] = one._replace(repetition=repetition, waiting_since=since, last_seen=now)

    def leave(self, id: int, why: str) -> None:
        """Somebody leaves for good."""
        self.guests[id] = self.guests[id]._replace(leave_reason=self.guests[id].leave_reason or why)

    def begin_match(self, match: PlannedMatch, names: Mapping[int, str]) -> None:
        """A match begins with those who have its seats."""
        people = {seat: who for seat, who in enumerate(match.players) if isinstance(who, int)}
        self._seats[match.number] = people
        self._update_roster()
        for seat, name in names.items():
            self.guests[int(name)] = self.guests[int(name)]._replace(place=people[seat])

    def matches_of(self, id: int) -> list[PlannedMatch]:
        """The matches in which somebody has a seat and that have begun, in order."""
        place = self.guests[id].place
        return [one for one in self._roster.matches_of(place) if one.number in self._seats and place in one.places]

    def current_match(self, id: int) -> PlannedMatch | None:
        """The match in which somebody sits now; None: they wait for it."""
        return next((one for one in self.matches_of(id) if one.repetition == self.guests[id].repetition), None)

    def played_seats(self, id: int) -> PlayedSeats | None:
        """The matches that somebody has sat in; None: they came when all places were taken."""
        one = self.guests[id]
        return (
            None
            if one.leave_reason == FULL
            else [[own.number, own.players.index(one.place or 0)] for own in self.matches_of(id)]
        )

    def guests_in(self, match: PlannedMatch) -> dict[int, Guest]:
        """Who sits in a match, by seat."""
        placed = {one.place: one for one in self.guests.values() if one.place is not None}
        return {seat: placed[who] for seat, who in enumerate(match.players) if isinstance(who, int) and who in placed}

    def has_left(self, one: Guest, now: float) -> bool:
        """Whether somebody comes to no match any more, or has closed the page for longer than the file allows."""
        return bool(one.leave_reason) or bool(self._away and now - one.last_seen >= max(self._away, AWAY_SECONDS))

    def steps(self, now: float, hold: Callable[[Guest], float]) -> list[Step]:
        """What happens now to those who wait.

        Args:
            now: The clock on the wall.
            hold: Seconds that somebody waits at least.
        """
        waits = [one for one in self.guests.values() if not one.leave_reason and self.current_match(one.id) is None]
        waiters = [
            Waiter(
                str(one.id),
                one.place,
                one.repetition,
                now - one.waiting_since,
                now - one.last_seen < AWAY_SECONDS,
                now - one.waiting_since >= hold(one),
            )
            for one in sorted(waits, key=lambda one: one.waiting_since)
        ]
        placed = {
            one.place: ParticipantProgress(one.repetition, self.has_left(one, now))
            for one in self.guests.values()
            if one.place is not None
        }
        return self._pairing.steps(self._roster.begun, placed, waiters)


MAX_OPEN_MATCHES = 500
"""Matches that stay open in memory."""


class PageUpdate(NamedTuple):
    """What follows when a page has spoken.

    Attributes:
        room: To be kept.
        played_seats: The matches in which somebody has sat, by the id of whose page it is and of who plays with them;
            None: they were not admitted.
        number: Of the match in the plan; None: there is none.
        text: Of the match, to be kept; None: it has not begun.
        pages: What pages show now, by the id of whose they are.
        outcome: `FULL`, `ALONE`, `WITHDRAWN`, or empty: they go on.
    """

    room: dict[str, Any]
    played_seats: dict[int, PlayedSeats | None]
    number: int | None
    text: str | None
    pages: dict[int, Page]
    outcome: str


class OTreeStudy(StudyPageTexts):
    """A study, for its app.

    Args:
        path: Its file.

    Attributes:
        blinded: Whether participants must not learn who is a program.
        is_instant: Whether nothing takes time, as in a test.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.blinded = any(arm.blinded for arm in self.study.arms)
        self.is_instant = False
        self._pairing = Pairing(self.study)
        self._open_matches: OrderedDict[str, OTreeMatch] = OrderedDict()

    @property
    def _has_delays(self) -> bool:
        return self.blinded and not self.is_instant

    # -- while matches are played ------------------------------------------------------------------------------

    def handle_poll(
        self, room: Mapping[str, Any], id: int, repetition: int, data: Any, rows: MatchTexts, now: float
    ) -> PageUpdate:
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
        with self._in_study_language():
            there = Room(self._pairing, room)
            there.come(id, repetition, now)
            if said.get("withdraw"):
                there.leave(id, WITHDRAWN)
            waits = there.current_match(id) is None and not there.guests[id].leave_reason
            step = self._settle(there, id, now) if waits else None
            match, text = there.current_match(id), None
            pages = {id: self._page_without_match(there, id, step is not None and step.kind == SKIP, now)}
            if match is not None:
                text = self._begin_match(step.match) if step and step.match else str(rows(match.number))
                text, pages = self._play_answer(there, match, text, id, said.get("move"), now)
            number, sat = (
                None if match is None else match.number,
                {one: there.played_seats(one) for one in (id, *pages)},
            )
            return PageUpdate(there.saved_state, sat, number, text, pages, there.guests[id].leave_reason)

    def _settle(self, there: Room, id: int, now: float) -> Step | None:
        """Does what follows now for somebody who waits; for others, when their own pages ask."""
        step = next((one for one in there.steps(now, self._minimum_wait) if str(id) in one.names.values()), None)
        if step is not None and step.match is not None:
            there.begin_match(step.match, step.names)
        elif step is not None and step.kind != SKIP:
            there.leave(id, step.kind)
        return step

    def _page_without_match(self, there: Room, id: int, skipped: bool, now: float) -> Page:
        """The page of somebody who plays no match."""
        one = there.guests[id]
        if one.leave_reason == FULL:
            return _over_page("full", texts().say("study.full"))
        return _over_page("left", "") if skipped or one.leave_reason else self._waiting_page(one, now)

    def _minimum_wait(self, one: Guest) -> float:
        drawn = random.Random(f"{self.study.name}/{one.id}/{one.repetition}")
        return drawn.uniform(*MINIMUM_WAIT) if self._has_delays else 0.0

    def _begin_match(self, match: PlannedMatch) -> str:
        """The text of a match that begins."""
        players = [HUMAN if isinstance(who, int) else who for who in match.players]
        played = self.study.settings[match.setting]
        params = {**self._options[played.game], **played.params}
        leaving = self.study.leaving
        terms = build_terms(self.study.time.move, DEFAULT_TERMS.player, leaving.policy, leaving.missed or MAX_SECONDS)
        return TextMatchStore.create(*build_match(played.game, players, match.seed, params, terms)).text

    def _play_answer(
        self, there: Room, match: PlannedMatch, text: str, id: int, move: Any, now: float
    ) -> tuple[str, dict[int, Page]]:
        """The text of a match after a page has spoken, and what all its pages show."""
        live, seats = self.open_match(text), there.guests_in(match)
        own = next(seat for seat, one in seats.items() if one.id == id)
        live.advance()
        given = {str(key): str(value) for key, value in move.items()} if isinstance(move, Mapping) else None
        problems = live.answer(own, given) if given is not None and own in live.people else None
        for seat, one in seats.items():
            if seat in live.people and one.repetition == match.repetition and there.has_left(one, now):
                live.leave(seat)
        pages = {
            one.id: live.page(seat, problems if seat == own else None)
            if seat in live.people and not one.leave_reason
            else _over_page("left", "")
            for seat, one in seats.items()
            if one.repetition == match.repetition
        }
        self._cache_match(live)
        return live.text, pages

    def open_match(self, text: str) -> OTreeMatch:
        """A match, opened if it is not."""
        found = self._open_matches.pop(TextMatchStore(text).id, None)
        return found if found is not None and found.text == text else OTreeMatch(text, self._has_delays)

    def _cache_match(self, match: OTreeMatch) -> None:
        self._open_matches[TextMatchStore(match.text).id] = match
        if len(self._open_matches) > MAX_OPEN_MATCHES:
            self._open_matches.popitem(last=False)

    def _waiting_page(self, one: Guest, now: float) -> Page:
        left = max(0, round(self.study.time.waiting - (now - one.waiting_since)))
        lead = texts().say("study.wait_next" if one.repetition else "study.wait")
        told = texts().say("study.wait_limit", clock=format_clock(left), follows=self._study_texts({}).alone_text)
        return {"state": "waiting", "waiting": lead, "time": told, "over": False}

    def record(self, text: str) -> Record:
        """Of a match; while it goes on, as if it were paused now."""
        with self._in_study_language():
            return self.open_match(text).record

    # -- bots --------------------------------------------------------------------------------------------------

    @contextmanager
    def without_delays(self) -> Iterator[None]:
        """Nothing takes time."""
        self.is_instant = True
        try:
            yield
        finally:
            self.is_instant = False

    def example_answer(self, page: Page) -> dict[str, str]:
        """An answer to a page: the last form, the least numbers, the first options."""
        form = page["forms"][-1]
        given = {one["key"]: self._example_value(one) for one in form["inputs"]}
        return {**given, "kind": form["buttons"][0][0], "number": str(page["number"])}

    def _example_value(self, one: Page) -> str:
        if one["sort"] == "option":
            return str(one["options"][0])
        if one["sort"] != "number":
            return "hello"
        least = one.get("minimum", min(0, one.get("maximum", 0)))
        return self._site.texts.localize_numbers(format_exact(least))


def _over_page(state: str, told: str) -> Page:
    """The page of who does not play, or not any more."""
    return {"state": state, "over": True, "notes": [told] if told else [], "payoff": ""}
