"""A match of a study in oTree: kept as one text, and opened from it for what the page of a seat shows and answers."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from econzoo.baselines.questions import capitalise
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.run.match import PlayerCache
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.people.participation import blinded_view
from econzoo.people.participation.blinded_view import BlindedSeatView
from econzoo.people.server.site import texts
from econzoo.people.table.clocks import Uptime
from econzoo.people.table.forms import Form, Input, build_forms
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.match_setup import restore_match
from econzoo.people.table.player_threads import Desk, Question, answer_all
from econzoo.people.table.seat_view import TextPart
from econzoo.people.table.store import SECRET_BYTES, MatchState, Seat
from econzoo.people.table.terms import Absence, Terms
from econzoo.people.texts import format_clock


class TextMatchStore:
    """Keeps one match, as `econzoo.people.table.clocks.MatchStorage` asks for it.

    Moments are in seconds of the clock on the wall: they pass while no server runs.

    Args:
        text: As `text` gave it.
    """

    def __init__(self, text: str) -> None:
        self._data: dict[str, Any] = parse_json(text)

    @classmethod
    def create(cls, match: Match, terms: Terms) -> TextMatchStore:
        """A match that begins."""
        told = {**match._asdict(), "players": list(match.players), "terms": terms._asdict()}
        empty: dict[str, Any] = {"turns": [], "moves": [], "absences": [], "moments": [], "record": None}
        return cls(json.dumps({"id": secrets.token_urlsafe(SECRET_BYTES), **told, **empty}))

    @property
    def text(self) -> str:
        """All of it."""
        return json.dumps(self._data)

    @property
    def id(self) -> str:
        """Names the match here."""
        return str(self._data["id"])

    @property
    def state(self) -> MatchState:
        """What is kept."""
        told = self._data
        match = Match(told["game"], told["params"], told["options"], tuple(told["players"]), told["seed"])
        turns = [Turn(**turn) for turn in told["turns"]]
        absences = [Absence(*one) for one in told["absences"]]
        ended = Record.from_json(told["record"]) if told["record"] else None
        return MatchState(self.id, match, turns, Terms(**told["terms"]), absences, ended)

    def match(self, id: str) -> MatchState:
        """What is kept: there is one match."""
        return self.state

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds an answer; of several to the same question the first one counts."""
        if (seat.seat, number) in self.answers(seat.match):
            return False
        self._data["moves"].append([seat.seat, number, reply])
        return True

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer."""
        return {(seat, number): reply for seat, number, reply in self._data["moves"]}

    def add_turns(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns after so many others."""
        kept = self._data["turns"]
        kept += [turn.fields() for turn in turns[max(0, len(kept) - number) :]]

    def add_absence(self, match: str, absence: Absence) -> None:
        """Adds that no answer came."""
        if [*absence[:2]] not in [one[:2] for one in self._data["absences"]]:
            self._data["absences"].append(list(absence))

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Adds a moment; of several for the same the first one counts."""
        if (seat, number) not in self.moments(match):
            self._data["moments"].append([seat, number, at])

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""
        return {(seat, number): at for seat, number, at in self._data["moments"]}

    def save_uptime(self, seconds: float) -> None:
        """Nothing: the clock on the wall counts."""

    def uptime(self) -> float:
        """The clock on the wall."""
        return time.time()

    def save_record(self, id: str, record: Record) -> bool:
        """Keeps the record, if there was none."""
        if self._data["record"] is not None:
            return False
        self._data["record"] = record.to_json()
        return True

    def append(self, record: Record) -> None:
        """Nothing: the record is a part of the text."""


class ParticipantMatches:
    """The matches of a participant, as what tells of them asks for them.

    Args:
        texts: Number of the plan to the text of every match that has begun.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._stores = {number: TextMatchStore(text) for number, text in texts.items()}

    def matches(self) -> dict[int, str]:
        """Number of the plan to the id of every match."""
        return {number: held.id for number, held in self._stores.items()}

    def match(self, id: str) -> MatchState:
        """What is kept of a match."""
        return next(held.state for held in self._stores.values() if held.id == id)

    def record_line(self, id: str) -> str | None:
        """The record of a match that has ended; None: it goes on."""
        ended = self.match(id).record
        return None if ended is None else ended.to_json()

    def draw_seed(self, token: str) -> str:
        """None: oTree's own code of a participant is the seed (`econzoo.people.otree.study_page_texts`)."""
        return ""

    def absent_seats(self, id: str) -> frozenset[int]:
        """The seats of a match whose players have left or were replaced."""
        return frozenset(one.seat for one in self.match(id).absences if one.is_deserted)


PROGRAMS_SEAT = -2
"""In place of a seat: when programs were asked, by the number of turns before."""


class QueuedDesk(Desk):
    """Keeps questions until they are served.

    Args:
        store: The match, which keeps since when programs think.
        has_delays: Whether an answer comes after a while, as one of a person would.
    """

    def __init__(self, store: TextMatchStore, has_delays: bool) -> None:
        super().__init__()
        self._store, self._has_delays = store, has_delays
        self._questions: list[Question] = []

    def ask(self, question: Question) -> None:
        """Returns at once."""
        self._questions.append(question)

    def answer_due(self, turns: int) -> None:
        """Has those answered who may answer now, and whoever is asked thereupon.

        Args:
            turns: Played so far.
        """
        if self._questions and self._has_delays and time.time() < self._answer_time(turns):
            return
        while self._questions:
            question = self._questions.pop(0)
            if not question.is_dropped:
                answer_all([question])

    def _answer_time(self, turns: int) -> float:
        """When the answer of a program may be there that was asked after so many turns."""
        self._store.add_moment(self._store.id, PROGRAMS_SEAT, turns, time.time())
        asked = self._store.moments(self._store.id)[PROGRAMS_SEAT, turns]
        return asked + random.Random(f"{self._store.id}/{turns}").uniform(*blinded_view.ANSWER_DELAY)


NUMBER_FIELDS = ("type", "minimum", "maximum")
"""What the schema of a number says of it, and pages are told."""

Page = dict[str, Any]
"""What a page shows, as JSON has it."""


class OTreeMatch:
    """A match, opened from its text.

    Args:
        text: Of `TextMatchStore`.
        has_delays: Whether answers of programs come after a while.

    Raises:
        ValueError: It cannot be played on as it was.
    """

    def __init__(self, text: str, has_delays: bool) -> None:
        self._store = TextMatchStore(text)
        kept = self._store.state
        self._desk, cast = QueuedDesk(self._store, has_delays), PlayerCache(kept.match.game)
        made = partial(restore_match, cast=lambda spec: cast(spec).fork())
        self._live = LiveMatch(kept, self._store, self._store, made, self._desk, Uptime(self._store))
        for seat in self._live.people:  # their time runs: nobody is to wait for who has closed the page
            self._live.arrive(seat)
        self.advance()

    @property
    def text(self) -> str:
        """To be kept."""
        return self._store.text

    @property
    def record(self) -> Record:
        """Of the match; while it goes on, as if it were paused now."""
        return self._live.paused_record()

    @property
    def people(self) -> Sequence[int]:
        """The seats of participants."""
        return [*self._live.people]

    def advance(self) -> None:
        """Lets everybody move who can, and sees whose time has run out."""
        self._live.advance()
        self._desk.answer_due(self._live.turn_count)
        self._live.tick()
        self._desk.answer_due(self._live.turn_count)

    def is_done(self, seat: int) -> bool:
        """Whether a seat has nothing more to do here."""
        return self._seat_view(seat).is_done

    def _seat_view(self, seat: int) -> BlindedSeatView:
        return BlindedSeatView(self._live, Seat("", self._store.id, seat))

    # -- what people do ----------------------------------------------------------------------------------------

    def answer(self, seat: int, given: Mapping[str, str]) -> dict[str, str]:
        """Plays an answer; what is wrong with it by the key of its input, or nothing."""
        person = self._live.people[seat]
        asked, number = person.open_question, person.answer_count
        if asked is None or given.get("number") != str(number):
            return {"": texts().say("table.late")}
        reply = build_forms(person, asked).read(given)
        if isinstance(reply, dict):
            return reply
        self._live.answer(Seat("", self._store.id, seat), number, reply)
        self.advance()
        return {}

    def leave(self, seat: int) -> None:
        """A participant leaves for good."""
        if self._live.leave(seat):
            self.advance()

    # -- the page ----------------------------------------------------------------------------------------------

    def page(self, seat: int, problems: Mapping[str, str] | None = None) -> Page:
        """What a seat sees, and what it may do.

        Args:
            seat: Its number.
            problems: What is wrong with an answer, by the key of its input; None: there was none.
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
            **({} if problems is None else {"problems": {key: sanitize_text(told) for key, told in problems.items()}}),
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
    told = {"key": one.key, "label": one.label, "sort": one.sort, "hint": hint, "options": [*one.options]}
    return {**told, **{name: one.field[name] for name in NUMBER_FIELDS if name in one.field}}
