"""A study in the app of an oTree project: waiting room, moves and dropout, driven by polls of pages; texts; pay."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract import format_exact
from econzoo.envs.core.record import Record
from econzoo.people.otree.otree_match import OTreeMatch, Page, ParticipantMatches, TextMatchStore
from econzoo.people.participation import MatchOpponents, StudyTexts, adapt_texts, match_options, read_answer
from econzoo.people.server import CURRENT_SITE, Site, texts
from econzoo.people.study import HUMAN, MINIMUM_WAIT, SKIP, Pairing, ParticipantProgress, PlannedMatch, Roster, Step
from econzoo.people.study import Waiter, compute_bonus, ends, participant_results, plan_matches, read_study
from econzoo.people.table import DEFAULT_TERMS, MAX_SECONDS, build_match, build_terms
from econzoo.people.texts import format_clock, load_texts

OWN_PLACE = 0
"""Place of the participant in their own matches."""

FULL, ALONE, WITHDRAWN, WRONG_WORD, WRONG_ANSWERS = "full", "alone", "withdrawn", "code word", "quiz"
"""Reasons for an early end."""

LAST_PAGES = {
    "": ("study.title_done", "study.thanks", ends.COMPLETED),
    ALONE: ("study.title_done", "study.thanks", ends.TIMED_OUT),
    FULL: ("study.title_full", "study.full", ends.FULL),
    WITHDRAWN: ("study.title_withdrawn", "study.withdrawn", ends.WITHDRAWN),
    WRONG_WORD: ("study.title_excluded", "study.excluded_word", ends.SCREENED_OUT),
    WRONG_ANSWERS: ("study.title_excluded", "study.excluded_quiz", ends.SCREENED_OUT),
}
"""Outcome to (heading, first sentence, end) of the last page."""

PlayedSeats = Sequence[Sequence[int]]
"""(number in the randomisation table, seat) of a participant's matches, in order."""

MatchTexts = Callable[[int], str | None]
"""Planned number to the text of a match; None: not begun."""

AWAY_SECONDS = 75.0
"""Seconds without a poll after which a page counts as closed; hidden pages may poll only once a minute."""


class Guest(NamedTuple):
    """An admitted participant.

    Attributes:
        place: Place in the randomisation table; None: no match has begun.
        repetition: Index of the awaited or current match, from 0.
        waiting_since: Start of waiting (wall clock).
        leave_reason: Reason for leaving; empty: still taking part.
    """

    id: int
    place: int | None
    repetition: int
    waiting_since: float
    last_seen: float
    leave_reason: str = ""


class Room:
    """Admitted participants and their seats.

    Args:
        saved_state: Value of `saved_state`; empty: no participants.
    """

    def __init__(self, pairing: Pairing, saved_state: Mapping[str, Any]) -> None:
        self._pairing, self._away = pairing, pairing.study.leaving.away
        self.guests = {id: Guest(id, *one) for id, one in saved_state.get("guests", {}).items()}
        self._seats: dict[int, dict[int, int]] = dict(saved_state.get("seats", {}))
        self._update_roster()

    @property
    def saved_state(self) -> dict[str, Any]:
        """State to store between polls."""
        return {"guests": {id: [*one[1:]] for id, one in self.guests.items()}, "seats": self._seats}

    def _update_roster(self) -> None:
        self._roster = Roster(self._pairing.table, self._pairing.own_matches, self._seats)

    def come(self, id: int, repetition: int, now: float) -> None:
        """Record a poll of a participant's page."""
        one = self.guests.get(id, Guest(id, None, repetition, now, now))
        # Waiting begins with each match.
        since = now if one.repetition != repetition else one.waiting_since
        self.guests[id] = one._replace(repetition=repetition, waiting_since=since, last_seen=now)

    def leave(self, id: int, why: str) -> None:
        """Record that a participant has left for good."""
        self.guests[id] = self.guests[id]._replace(leave_reason=self.guests[id].leave_reason or why)

    def begin_match(self, match: PlannedMatch, names: Mapping[int, str]) -> None:
        """Begin a match; `names`: seat to participant."""
        people = {seat: who for seat, who in enumerate(match.players) if isinstance(who, int)}
        self._seats[match.number] = people
        self._update_roster()
        for seat, name in names.items():
            self.guests[int(name)] = self.guests[int(name)]._replace(place=people[seat])

    def matches_of(self, id: int) -> list[PlannedMatch]:
        """Return the participant's matches that have begun, in order."""
        place = self.guests[id].place
        return [one for one in self._roster.matches_of(place) if one.number in self._seats and place in one.places]

    def current_match(self, id: int) -> PlannedMatch | None:
        """Return the participant's current match; None: waiting."""
        return next((one for one in self.matches_of(id) if one.repetition == self.guests[id].repetition), None)

    def played_seats(self, id: int) -> PlayedSeats | None:
        """Return the participant's (match, seat) pairs; None: the study was full."""
        one = self.guests[id]
        return (
            None
            if one.leave_reason == FULL
            else [[own.number, own.players.index(one.place or 0)] for own in self.matches_of(id)]
        )

    def guests_in(self, match: PlannedMatch) -> dict[int, Guest]:
        """Return seat to participant of a match."""
        placed = {one.place: one for one in self.guests.values() if one.place is not None}
        return {seat: placed[who] for seat, who in enumerate(match.players) if isinstance(who, int) and who in placed}

    def has_left(self, one: Guest, now: float) -> bool:
        """Whether a participant has left, or closed the page beyond the limit."""
        return bool(one.leave_reason) or bool(self._away and now - one.last_seen >= max(self._away, AWAY_SECONDS))

    def steps(self, now: float, hold: Callable[[Guest], float]) -> list[Step]:
        """Return the possible steps for waiting participants.

        Args:
            now: Wall clock in seconds.
            hold: Minimum wait of a participant in seconds.
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
"""Maximum number of matches cached in memory."""


class PageUpdate(NamedTuple):
    """Result of a poll.

    Attributes:
        played_seats: Id of the polling participant and of the others in the match to their (match, seat) pairs; None:
            not admitted.
        number: Planned number of the match; None: none.
        text: Text of the match to store; None: not begun.
        outcome: `FULL`, `ALONE`, `WITHDRAWN`, or empty: continues.
    """

    room: dict[str, Any]
    played_seats: dict[int, PlayedSeats | None]
    number: int | None
    text: str | None
    pages: dict[int, Page]
    outcome: str


class OTreeStudy:
    """A study in oTree."""

    def __init__(self, path: str | Path) -> None:
        self.study = read_study(path)
        self.plan = plan_matches(self.study)
        self._site = Site(texts=adapt_texts(self.study, load_texts(self.study.texts)))
        self._options = match_options(self.study, self._site.texts)
        self.blinded = any(arm.blinded for arm in self.study.arms)
        self.is_instant = False
        self._pairing = Pairing(self.study)
        self._open_matches: OrderedDict[str, OTreeMatch] = OrderedDict()

    @property
    def _has_delays(self) -> bool:
        return self.blinded and not self.is_instant

    @contextmanager
    def _in_study_language(self) -> Iterator[None]:
        token = CURRENT_SITE.set(self._site)
        try:
            yield
        finally:
            CURRENT_SITE.reset(token)

    def say(self, name: str, /, **fields: Any) -> str:
        return self._site.texts.say(name, **fields)

    # -- matches -----------------------------------------------------------------------------------------------

    def handle_poll(
        self, room: Mapping[str, Any], id: int, repetition: int, data: Any, rows: MatchTexts, now: float
    ) -> PageUpdate:
        """Process a poll of a page.

        Args:
            repetition: Index of the match, from 0.
            data: ``withdraw``, an answer (``move``), or empty: the page is open.
            now: Wall clock in seconds.
        """
        request = data if isinstance(data, Mapping) else {}
        with self._in_study_language():
            there = Room(self._pairing, room)
            there.come(id, repetition, now)
            if request.get("withdraw"):
                there.leave(id, WITHDRAWN)
            waits = there.current_match(id) is None and not there.guests[id].leave_reason
            step = self._settle(there, id, now) if waits else None
            match, text = there.current_match(id), None
            pages = {id: self._page_without_match(there, id, step is not None and step.kind == SKIP, now)}
            if match is not None:
                text = self._begin_match(step.match) if step and step.match else str(rows(match.number))
                text, pages = self._play_answer(there, match, text, id, request.get("move"), now)
            number, played_seats = (
                None if match is None else match.number,
                {one: there.played_seats(one) for one in (id, *pages)},
            )
            return PageUpdate(there.saved_state, played_seats, number, text, pages, there.guests[id].leave_reason)

    def _settle(self, there: Room, id: int, now: float) -> Step | None:
        """Take the possible step of a waiting participant; steps of others follow at their own polls."""
        # A step may name others too, who then have a match at their next poll.
        step = next((one for one in there.steps(now, self._minimum_wait) if str(id) in one.names.values()), None)
        if step is not None and step.match is not None:
            there.begin_match(step.match, step.names)
        elif step is not None and step.kind != SKIP:
            there.leave(id, step.kind)
        return step

    def _page_without_match(self, there: Room, id: int, skipped: bool, now: float) -> Page:
        one = there.guests[id]
        if one.leave_reason == FULL:
            return _over_page("full", texts().say("study.full"))
        return _over_page("left", "") if skipped or one.leave_reason else self._waiting_page(one, now)

    def _minimum_wait(self, one: Guest) -> float:
        # Derived from who waits for what, so that every poll finds the same wait without storing it.
        rng = random.Random(f"{self.study.name}/{one.id}/{one.repetition}")
        return rng.uniform(*MINIMUM_WAIT) if self._has_delays else 0.0

    def _begin_match(self, match: PlannedMatch) -> str:
        """Create a match and return its text."""
        players = [HUMAN if isinstance(who, int) else who for who in match.players]
        played = self.study.settings[match.setting]
        params = {**self._options[played.game], **played.params}
        leaving = self.study.leaving
        # 0 in the file: missed moves are no leaving. 0 in terms would apply the policy to each missed move.
        terms = build_terms(
            self.study.time.move, DEFAULT_TERMS.player_seconds, leaving.policy, leaving.missed or MAX_SECONDS
        )
        return TextMatchStore.create(*build_match(played.game, players, match.seed, params, terms)).text

    def _play_answer(
        self, there: Room, match: PlannedMatch, text: str, id: int, move: Any, now: float
    ) -> tuple[str, dict[int, Page]]:
        """Play an answer, if any; return the text of the match and the pages of its participants."""
        live, seats = self.open_match(text), there.guests_in(match)
        own = next(seat for seat, one in seats.items() if one.id == id)
        # Time limits that have passed since the last poll count before the answer.
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
        """Return a match, from the cache if current."""
        # Opening replays all turns. The stored text decides whether a match in memory is current.
        cached = self._open_matches.pop(TextMatchStore(text).id, None)
        return cached if cached is not None and cached.text == text else OTreeMatch(text, self._has_delays)

    def _cache_match(self, match: OTreeMatch) -> None:
        self._open_matches[TextMatchStore(match.text).id] = match
        # The first is the one unused for longest, since each use moves a match to the end.
        if len(self._open_matches) > MAX_OPEN_MATCHES:
            self._open_matches.popitem(last=False)

    def _waiting_page(self, one: Guest, now: float) -> Page:
        left = max(0, round(self.study.time.waiting - (now - one.waiting_since)))
        lead = texts().say("study.wait_next" if one.repetition else "study.wait")
        limit = texts().say("study.wait_limit", clock=format_clock(left), follows=self._study_texts({}).alone_text)
        return {"state": "waiting", "waiting": lead, "time": limit, "over": False}

    def record(self, text: str) -> Record:
        """Return the record of a match; in progress, as if paused now."""
        with self._in_study_language():
            return self.open_match(text).record

    # -- money --------------------------------------------------------------------------------------------

    def bonus(self, seats: PlayedSeats | None, rows: MatchTexts, code: str) -> float:
        """Return the bonus so far in units of the currency; 0 if not admitted.

        Args:
            seats: Matches of the participant; None: not admitted.
            code: Participant code, which seeds the payment draw together with the study's seed.
        """
        if seats is None:
            return 0.0
        results = participant_results(self._load_matches(seats, rows), self._own_matches(seats), OWN_PLACE)
        seed = f"{self.study.matching.seed}/{code}"
        return compute_bonus(self.study, results, seed).cents / 100

    def _own_matches(self, seats: PlayedSeats) -> list[PlannedMatch]:
        """Return the participant's matches, with `OWN_PLACE` as the only place."""
        plan = {number: self.plan[number] for number, _ in seats}
        return [
            plan[number]._replace(
                players=tuple(OWN_PLACE if at == seat else "" for at in range(len(plan[number].players)))
            )
            for number, seat in seats
        ]

    @property
    def fee(self) -> float:
        """Participation fee in units of the currency."""
        return self.study.payment.fee_cents / 100

    def _load_matches(self, seats: PlayedSeats, rows: MatchTexts) -> ParticipantMatches:
        return ParticipantMatches({number: text for number, _ in seats if (text := rows(number)) is not None})

    def _study_texts(self, texts: Mapping[int, str]) -> StudyTexts:
        return StudyTexts(self.study, ParticipantMatches(texts), self._options)

    def amounts_due(self, outcome: str, seats: PlayedSeats | None, rows: MatchTexts, code: str) -> tuple[float, float]:
        """Return fee and bonus due to a participant."""
        partial = self.study.payment.partial and (seats is not None or outcome == FULL)
        whole = seats is not None and outcome in ("", ALONE)
        return (self.fee if whole or partial else 0.0), self.bonus(seats, rows, code)

    # -- texts of pages ----------------------------------------------------------------------------------------

    def page_texts(self, page: str) -> dict[str, Any]:
        """Return text name to text of a page."""
        study, say = self.study, self.say
        with self._in_study_language():
            telling = self._study_texts({})
            first, *rules = telling.rules
            hidden = [study.attention.sentence_with_word] if study.attention else []
            return {
                "title": say(f"study.title_{page}") if page != "play" else "",
                "consent": study.words.consent.strip(),
                "kept_title": say("study.kept"),
                "kept": study.words.kept.strip(),
                "pay_title": say("study.pay"),
                "pay": telling.pay_sentences,
                "instructions": study.words.instructions.strip(),
                "rules_title": say("seat.rules"),
                "rules": [" ".join([first, *hidden]), *rules],
                "rules_hint": say("study.rules_hint"),
                "programs": say("study.programs") if telling.has_programs else "",
                "debriefing": study.words.debriefing.strip(),
                "who": say("study.who"),
                "withdraw": say("study.withdraw"),
                "withdraw_hint": say("study.withdraw_hint"),
                "send": say("study.send"),
                "go_on": say("study.go_on"),
            }

    def other_players(self, seats: PlayedSeats | None, rows: MatchTexts) -> list[str]:
        """Return a line about the other players for each match of a participant."""
        with self._in_study_language():
            telling = StudyTexts(self.study, self._load_matches(seats or [], rows), self._options)
            return [
                " ".join(_describe_others(match))
                for match in telling.matches(self._own_matches(seats or []), OWN_PLACE)
            ]

    def last_page(self, outcome: str, seats: PlayedSeats | None, rows: MatchTexts, code: str) -> dict[str, Any]:
        say, pay = self.say, self._study_texts({})
        fee, bonus = self.amounts_due(outcome, seats, rows, code)
        kept = self._load_matches(seats or [], rows)
        left = any(seat in kept.absent_seats(kept.matches()[number]) for number, seat in seats or [])
        with self._in_study_language():
            sums = [(say("study.fee"), fee), (say("study.bonus"), bonus), (say("study.sum"), fee + bonus)]
            title, lead, end = LAST_PAGES[outcome]
            # Participants who left a match and reached the end have the end timed_out.
            back = ends.return_link(
                self.study.ends, ends.TIMED_OUT if left and not outcome else end, code if fee else ""
            )
            return {
                "title": say(title),
                "lead": say(lead),
                "sums": [f"{name}: {pay.format_money(amount)}" for name, amount in sums] if fee or bonus else [],
                "code": back.code,
                "code_title": say("study.code" if fee else "study.back_code"),
                "link": back.url,
                "link_title": say("study.return" if back.has_code_in_url else "study.return_alone"),
            }

    def questionnaire_problem(self, item: int, answer: str) -> str:
        """Return the error message of a questionnaire answer; empty: valid."""
        with self._in_study_language():
            return read_answer(self.study.questionnaire[item], "", {"": answer}).problem

    def quiz_lead(self, left: int) -> str:
        """Return the introduction of the quiz with `left` attempts."""
        with self._in_study_language():
            return self._study_texts({}).quiz_lead(left)

    def quiz_problem(self, left: int, question: int, answer: str) -> str:
        """Return the notice after wrong answers with `left` attempts, and the explanation of this answer."""
        with self._in_study_language():
            notice = self._study_texts({}).quiz_problem(left)
        return " ".join(filter(None, [notice, self.study.quiz[question].explain(answer)]))

    def accepts_code_word(self, typed: str) -> bool:
        """Whether the typed code word is right, or none is required."""
        return self.study.attention is None or self.study.attention.accepts(typed)

    # -- bots --------------------------------------------------------------------------------------------------

    @contextmanager
    def without_delays(self) -> Iterator[None]:
        self.is_instant = True
        try:
            yield
        finally:
            self.is_instant = False

    def example_answer(self, page: Page) -> dict[str, str]:
        """Return an answer to a page: last form, smallest numbers, first options."""
        form = page["forms"][-1]
        given = {one["key"]: self._example_value(one) for one in form["inputs"]}
        return {**given, "kind": form["buttons"][0][0], "number": str(page["number"])}

    def _example_value(self, one: Page) -> str:
        if one["sort"] == "option":
            return str(one["options"][0])
        if one["sort"] != "number":
            return "hello"
        # Without a minimum 0, or the maximum if that is below.
        least = one.get("minimum", min(0, one.get("maximum", 0)))
        return self._site.texts.localize_numbers(format_exact(least))


def _over_page(state: str, note: str) -> Page:
    """Return the page of a participant who does not play."""
    return {"state": state, "over": True, "notes": [note] if note else [], "payoff": ""}


def _describe_others(match: MatchOpponents) -> Iterator[str]:
    yield texts().say("study.which", match=match.number)
    for other in match.others:
        programs = ", ".join(other.programs)
        name = "was_both" if other.is_person and programs else "was_person" if other.is_person else "was_program"
        yield texts().say(f"study.{name}", role=other.role, **({"program": programs} if programs else {}))
