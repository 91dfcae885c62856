"""A match of a study in oTree, stored as one text."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from econzoo.baselines import capitalise
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.run import Match, PlayerCache
from econzoo.evaluate.show import sanitize_text
from econzoo.people.participation import BlindedSeatView, blinded_view
from econzoo.people.server import texts
from econzoo.people.table import SECRET_BYTES, Absence, Desk, Form, Input, LiveMatch, MatchState, Question, Seat, Terms
from econzoo.people.table import TextPart, Uptime, answer_all, build_forms, restore_match
from econzoo.people.texts import format_clock


class TextMatchStore:
    """Stores one match, as an `econzoo.people.table.clocks.MatchStorage`.

    Times are seconds of the wall clock, which also pass while no server runs.
    """

    def __init__(self, text: str) -> None:
        self._data: dict[str, Any] = parse_json(text)

    @classmethod
    def create(cls, match: Match, terms: Terms) -> TextMatchStore:
        data = {**match._asdict(), "players": list(match.players), "terms": terms._asdict()}
        empty: dict[str, Any] = {"turns": [], "moves": [], "absences": [], "moments": [], "record": None}
        return cls(json.dumps({"id": secrets.token_urlsafe(SECRET_BYTES), **data, **empty}))

    @property
    def text(self) -> str:
        return json.dumps(self._data)

    @property
    def id(self) -> str:
        return str(self._data["id"])

    @property
    def state(self) -> MatchState:
        data = self._data
        match = Match(data["game"], data["params"], data["options"], tuple(data["players"]), data["seed"])
        turns = [Turn(**turn) for turn in data["turns"]]
        absences = [Absence(*one) for one in data["absences"]]
        record = Record.from_json(data["record"]) if data["record"] else None
        return MatchState(self.id, match, turns, Terms(**data["terms"]), absences, record)

    def match(self, id: str) -> MatchState:
        """Return the state of the only match."""
        return self.state

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Store an answer; only the first answer to a question counts."""
        if (seat.seat, number) in self.answers(seat.match):
            return False
        self._data["moves"].append([seat.seat, number, reply])
        return True

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """Return (seat, number) to answer."""
        return {(seat, number): reply for seat, number, reply in self._data["moves"]}

    def add_turns(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Store turns, the first of which has the given number."""
        kept = self._data["turns"]
        # Turns that are stored already are the same and skipped.
        kept += [turn.fields() for turn in turns[max(0, len(kept) - number) :]]

    def add_absence(self, match: str, absence: Absence) -> None:
        if [*absence[:2]] not in [one[:2] for one in self._data["absences"]]:
            self._data["absences"].append(list(absence))

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Store a time; only the first time of a (seat, number) counts."""
        if (seat, number) not in self.moments(match):
            self._data["moments"].append([seat, number, at])

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """Return (seat, number) to time."""
        return {(seat, number): at for seat, number, at in self._data["moments"]}

    def save_uptime(self, seconds: float) -> None:
        """No effect: the wall clock counts."""

    def uptime(self) -> float:
        """Return the wall clock in seconds."""
        return time.time()

    def save_record(self, id: str, record: Record) -> bool:
        """Store the record, unless there is one."""
        if self._data["record"] is not None:
            return False
        self._data["record"] = record.to_json()
        return True

    def append(self, record: Record) -> None:
        """No effect: the record is a part of the text."""


class ParticipantMatches:
    """Store of a participant's matches that have begun; `texts`: planned number to text."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._stores = {number: TextMatchStore(text) for number, text in texts.items()}

    def matches(self) -> dict[int, str]:
        """Return planned number to match id."""
        return {number: store.id for number, store in self._stores.items()}

    def match(self, id: str) -> MatchState:
        return next(store.state for store in self._stores.values() if store.id == id)

    def record_line(self, id: str) -> str | None:
        """Return the record of a match; None: in progress."""
        record = self.match(id).record
        return None if record is None else record.to_json()

    def players_by_seat(self, id: str) -> list[list[str]]:
        """Return the specs of the players of each seat of a match, substitutes last."""
        return self.match(id).players_by_seat

    def draw_seed(self, token: str) -> str:
        """Return no seed: oTree's participant code is the seed (`econzoo.people.otree.course`)."""
        return ""

    def absent_seats(self, id: str) -> frozenset[int]:
        """Return the seats of a match whose players left or were replaced."""
        return frozenset(one.seat for one in self.match(id).absences if one.is_deserted)


PROGRAMS_SEAT = -2
"""Pseudo-seat of the times at which programs were asked, by the number of preceding turns."""


class QueuedDesk(Desk):
    """Queues questions to programs, which the next poll answers in the thread of oTree."""

    def __init__(self, store: TextMatchStore, has_delays: bool) -> None:
        super().__init__()
        self._store, self._has_delays = store, has_delays
        self._questions: list[Question] = []

    def ask(self, question: Question) -> None:
        self._questions.append(question)

    def answer_due(self, turns: int) -> None:
        """Answer all due questions, including those that follow from the answers."""
        if self._questions and self._has_delays and time.time() < self._answer_time(turns):
            return
        while self._questions:
            question = self._questions.pop(0)
            if not question.is_dropped:
                answer_all([question])

    def _answer_time(self, turns: int) -> float:
        """Return the time at which the answer of a program asked after `turns` turns is due."""
        self._store.add_moment(self._store.id, PROGRAMS_SEAT, turns, time.time())
        # Time and delay are the same at every poll, and after a restart.
        since = self._store.moments(self._store.id)[PROGRAMS_SEAT, turns]
        return since + random.Random(f"{self._store.id}/{turns}").uniform(*blinded_view.ANSWER_DELAY)


NUMBER_FIELDS = ("type", "minimum", "maximum")
"""Fields of a number's schema that pages receive."""

Page = dict[str, Any]
"""Content of a page, JSON-compatible."""


class OTreeMatch:
    def __init__(self, text: str, has_delays: bool) -> None:
        self._store = TextMatchStore(text)
        kept = self._store.state
        self._desk, cast = QueuedDesk(self._store, has_delays), PlayerCache(kept.match.game)
        # A fork for each seat, since players may keep the state of their match.
        restore = partial(restore_match, cast=lambda spec: cast(spec).fork())
        self._live = LiveMatch(kept, self._store, self._store, restore, self._desk, Uptime(self._store))
        for seat in self._live.people:  # clocks start also for participants who have closed the page
            self._live.arrive(seat)
        self.advance()

    @property
    def text(self) -> str:
        """Text to store."""
        return self._store.text

    @property
    def record(self) -> Record:
        """Record of the match; in progress, as if paused now."""
        return self._live.paused_record()

    @property
    def people(self) -> Sequence[int]:
        """Seats of participants."""
        return [*self._live.people]

    def advance(self) -> None:
        """Play all possible moves of programs and apply timeouts."""
        self._live.advance()
        self._desk.answer_due(self._live.turn_count)
        # A timeout may give programs a turn, so questions are answered once more.
        self._live.tick()
        self._desk.answer_due(self._live.turn_count)

    def is_done(self, seat: int) -> bool:
        return self._seat_view(seat).is_done

    def _seat_view(self, seat: int) -> BlindedSeatView:
        return BlindedSeatView(self._live, Seat("", self._store.id, seat))

    # -- actions of people -------------------------------------------------------------------------------------

    def answer(self, seat: int, given: Mapping[str, str]) -> dict[str, str]:
        """Play an answer; return input key to error message."""
        person = self._live.people[seat]
        question, number = person.open_question, person.answer_count
        # An answer to an earlier question, as from a double click or another tab.
        if question is None or given.get("number") != str(number):
            return {"": texts().say("table.late")}
        reply = build_forms(person, question).read(given)
        if isinstance(reply, dict):
            return reply
        self._live.answer(Seat("", self._store.id, seat), number, reply)
        self.advance()
        return {}

    def leave(self, seat: int) -> None:
        """Record that a participant has left for good."""
        if self._live.leave(seat):
            self.advance()

    # -- the page ----------------------------------------------------------------------------------------------

    def page(self, seat: int, problems: Mapping[str, str] | None = None) -> Page:
        """Return the page of a seat, with its forms.

        Args:
            problems: Input key to error message; None: no answer was given.
        """
        seen = self._seat_view(seat)
        return {
            "state": f"{self._store.id}.{seen.state}",
            "number": seen.number,
            "role": capitalise(texts().say("seat.you_are", role=seen.role)),
            "rules": [sanitize_text(part) for part in seen.rules],
            "notes": [sanitize_text(note) for note in (seen.leave_notice, seen.trouble, *seen.notes) if note],
            "talk": list(self._encode_history(seen)),
            "forms": [_encode_form(form) for form in seen.forms],
            **({} if problems is None else {"problems": {key: sanitize_text(text) for key, text in problems.items()}}),
            "time": self._format_time_left(seen),
            "waiting": seen.waiting_text,
            "over": seen.is_done,
            "payoff": texts().localize_numbers(seen.payoff) if seen.is_done else "",
        }

    def _encode_history(self, seen: BlindedSeatView) -> Iterator[Page]:
        for lines, answer in seen.history:
            yield {"parts": _encode_parts(lines)}
            if answer:
                yield {"mine": [sanitize_text(texts().localize_numbers(answer[0])), sanitize_text(answer[1])]}
        if seen.news:
            yield {"parts": _encode_parts(seen.news)}

    def _format_time_left(self, seen: BlindedSeatView) -> str:
        if seen.seconds_left is None:
            return ""
        return texts().say("absent.left_for_move", clock=format_clock(seen.seconds_left), policy=seen.policy)


def _encode_parts(parts: Sequence[TextPart]) -> list[Page]:
    return [{"text": sanitize_text(part.text), "drawn": part.is_drawn} for part in parts]


def _encode_form(form: Form) -> Page:
    inputs = [_encode_input(one) for one in form.inputs if one.sort != "only"]
    return {"inputs": inputs, "buttons": [[*one] for one in form.buttons]}


def _encode_input(one: Input) -> Page:
    hint = texts().say("table.words_hint", longest=one.longest) if one.sort in ("words", "source") else one.hint
    values = {"key": one.key, "label": one.label, "sort": one.sort, "hint": hint, "options": [*one.options]}
    return {**values, **{name: one.field[name] for name in NUMBER_FIELDS if name in one.field}}
