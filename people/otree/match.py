"""A match of a study in oTree: kept as one text, and opened from it for what the page of a seat shows and answers."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from econzoo.baselines.questions import begun
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.show.escapes import visible
from econzoo.people.participation import blind
from econzoo.people.participation.blind import Blind
from econzoo.people.server.site import texts
from econzoo.people.table.clocks import Uptime
from econzoo.people.table.forms import Form, Input, forms_for
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.match_setup import set_up
from econzoo.people.table.player_threads import Desk, Question, answer_all
from econzoo.people.table.seat_view import Part
from econzoo.people.table.store import SECRET, Kept, Seat
from econzoo.people.table.terms import Absence, Terms
from econzoo.people.texts import clock


class Held:
    """Keeps one match, as `econzoo.people.table.clocks.Keeping` asks for it.

    Moments are in seconds of the clock on the wall: they pass while no server runs.

    Args:
        text: As `text` gave it.
    """

    def __init__(self, text: str) -> None:
        self._given: dict[str, Any] = from_json(text)

    @classmethod
    def new(cls, match: Match, terms: Terms) -> Held:
        """A match that begins."""
        told = {**match._asdict(), "players": list(match.players), "terms": terms._asdict()}
        empty: dict[str, Any] = {"turns": [], "moves": [], "absences": [], "moments": [], "record": None}
        return cls(json.dumps({"id": secrets.token_urlsafe(SECRET), **told, **empty}))

    @property
    def text(self) -> str:
        """All of it."""
        return json.dumps(self._given)

    @property
    def id(self) -> str:
        """Names the match here."""
        return str(self._given["id"])

    @property
    def kept(self) -> Kept:
        """What is kept."""
        told = self._given
        match = Match(told["game"], told["params"], told["options"], tuple(told["players"]), told["seed"])
        turns = [Turn(**turn) for turn in told["turns"]]
        absences = [Absence(*one) for one in told["absences"]]
        ended = Record.from_json(told["record"]) if told["record"] else None
        return Kept(self.id, match, turns, Terms(**told["terms"]), absences, ended)

    def match(self, id: str) -> Kept:
        """What is kept: there is one match."""
        return self.kept

    def answered(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds an answer; of several to the same question the first one counts."""
        if (seat.seat, number) in self.answers(seat.match):
            return False
        self._given["moves"].append([seat.seat, number, reply])
        return True

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer."""
        return {(seat, number): reply for seat, number, reply in self._given["moves"]}

    def played(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns after so many others."""
        kept = self._given["turns"]
        kept += [turn.fields() for turn in turns[max(0, len(kept) - number) :]]

    def absent(self, match: str, absence: Absence) -> None:
        """Adds that no answer came."""
        if [*absence[:2]] not in [one[:2] for one in self._given["absences"]]:
            self._given["absences"].append(list(absence))

    def happened(self, match: str, seat: int, number: int, at: float) -> None:
        """Adds a moment; of several for the same the first one counts."""
        if (seat, number) not in self.moments(match):
            self._given["moments"].append([seat, number, at])

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""
        return {(seat, number): at for seat, number, at in self._given["moments"]}

    def ran(self, seconds: float) -> None:
        """Nothing: the clock on the wall counts."""

    def uptime(self) -> float:
        """The clock on the wall."""
        return time.time()

    def ended(self, id: str, record: Record) -> bool:
        """Keeps the record, if there was none."""
        if self._given["record"] is not None:
            return False
        self._given["record"] = record.to_json()
        return True

    def append(self, record: Record) -> None:
        """Nothing: the record is a part of the text."""


class HeldMatches:
    """The matches of a participant, as what tells of them asks for them.

    Args:
        texts: Number of the plan to the text of every match that has begun.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._held = {number: Held(text) for number, text in texts.items()}

    def matches(self) -> dict[int, str]:
        """Number of the plan to the id of every match."""
        return {number: held.id for number, held in self._held.items()}

    def match(self, id: str) -> Kept:
        """What is kept of a match."""
        return next(held.kept for held in self._held.values() if held.id == id)

    def line(self, id: str) -> str | None:
        """The record of a match that has ended; None: it goes on."""
        ended = self.match(id).record
        return None if ended is None else ended.to_json()

    def draw_seed(self, token: str) -> str:
        """None: oTree's own code of a participant is the seed (`econzoo.people.otree.words`)."""
        return ""

    def left(self, id: str) -> frozenset[int]:
        """The seats of a match whose players have left or were replaced."""
        return frozenset(one.seat for one in self.match(id).absences if one.deserted)


PROGRAMS = -2
"""In place of a seat: when programs were asked, by the number of turns before."""


class Counter(Desk):
    """Keeps questions until they are served.

    Args:
        held: The match, which keeps since when programs think.
        paced: Whether an answer comes after a while, as one of a person would.
    """

    def __init__(self, held: Held, paced: bool) -> None:
        super().__init__()
        self._held, self._paced = held, paced
        self._asked: list[Question] = []

    def ask(self, question: Question) -> None:
        """Returns at once."""
        self._asked.append(question)

    def serve(self, turns: int) -> None:
        """Has those answered who may answer now, and whoever is asked thereupon.

        Args:
            turns: Played so far.
        """
        if self._asked and self._paced and time.time() < self._due(turns):
            return
        while self._asked:
            question = self._asked.pop(0)
            if not question.dropped:
                answer_all([question])

    def _due(self, turns: int) -> float:
        """When the answer of a program may be there that was asked after so many turns."""
        self._held.happened(self._held.id, PROGRAMS, turns, time.time())
        asked = self._held.moments(self._held.id)[PROGRAMS, turns]
        return asked + random.Random(f"{self._held.id}/{turns}").uniform(*blind.PACE)


BOUNDS = ("type", "minimum", "maximum")
"""What the schema of a number says of it, and pages are told."""

Page = dict[str, Any]
"""What a page shows, as JSON has it."""


class SeatedMatch:
    """A match, opened from its text.

    Args:
        text: Of `Held`.
        paced: Whether answers of programs come after a while.

    Raises:
        ValueError: It cannot be played on as it was.
    """

    def __init__(self, text: str, paced: bool) -> None:
        self._held = Held(text)
        kept = self._held.kept
        self._desk, cast = Counter(self._held, paced), Cast(kept.match.game)
        made = partial(set_up, cast=lambda spec: cast(spec).fork())
        self._live = LiveMatch(kept, self._held, self._held, made, self._desk, Uptime(self._held))
        for seat in self._live.people:  # their time runs: nobody is to wait for who has closed the page
            self._live.arrive(seat)
        self.go_on()

    @property
    def text(self) -> str:
        """To be kept."""
        return self._held.text

    @property
    def record(self) -> Record:
        """Of the match; while it goes on, as if it were paused now."""
        return self._live.paused()

    @property
    def people(self) -> Sequence[int]:
        """The seats of participants."""
        return [*self._live.people]

    def go_on(self) -> None:
        """Lets everybody move who can, and sees whose time has run out."""
        self._live.advance()
        self._desk.serve(self._live.turns)
        self._live.tick()
        self._desk.serve(self._live.turns)

    def done(self, seat: int) -> bool:
        """Whether a seat has nothing more to do here."""
        return self._blind(seat).done

    def _blind(self, seat: int) -> Blind:
        return Blind(self._live, Seat("", self._held.id, seat))

    # -- what people do ----------------------------------------------------------------------------------------

    def answer(self, seat: int, given: Mapping[str, str]) -> dict[str, str]:
        """Plays an answer; what is wrong with it by the key of its input, or nothing."""
        person = self._live.people[seat]
        asked, number = person.asked, person.answers
        if asked is None or given.get("number") != str(number):
            return {"": texts().say("table.late")}
        reply = forms_for(person, asked).read(given)
        if isinstance(reply, dict):
            return reply
        self._live.answer(Seat("", self._held.id, seat), number, reply)
        self.go_on()
        return {}

    def leave(self, seat: int) -> None:
        """A participant leaves for good."""
        if self._live.leave(seat):
            self.go_on()

    # -- the page ----------------------------------------------------------------------------------------------

    def page(self, seat: int, problems: Mapping[str, str] | None = None) -> Page:
        """What a seat sees, and what it may do.

        Args:
            seat: Its number.
            problems: What is wrong with an answer, by the key of its input; None: there was none.
        """
        seen = self._blind(seat)
        return {
            "state": f"{self._held.id}.{seen.state}",
            "number": seen.number,
            "role": begun(texts().say("seat.you_are", role=seen.role)),
            "rules": [visible(part) for part in seen.rules],
            "notes": [visible(note) for note in (seen.gone, seen.trouble, *seen.notes) if note],
            "talk": list(self._talk(seen)),
            "forms": [_form(form) for form in seen.forms],
            **({} if problems is None else {"problems": {key: visible(told) for key, told in problems.items()}}),
            "time": self._time(seen),
            "waiting": seen.waiting,
            "over": seen.done,
            "payoff": texts().numbers(seen.payoff) if seen.done else "",
        }

    def _talk(self, seen: Blind) -> Iterator[Page]:
        for lines, answer in seen.talk:
            yield {"parts": _parts(lines)}
            if answer:
                yield {"mine": [visible(texts().numbers(answer[0])), visible(answer[1])]}
        if seen.news:
            yield {"parts": _parts(seen.news)}

    def _time(self, seen: Blind) -> str:
        if seen.left is None:
            return ""
        return texts().say("absent.left_for_move", clock=clock(seen.left), policy=seen.policy)


def _parts(parts: Sequence[Part]) -> list[Page]:
    return [{"text": visible(part.text), "drawn": part.drawn} for part in parts]


def _form(form: Form) -> Page:
    inputs = [_input(one) for one in form.inputs if one.sort != "only"]
    return {"inputs": inputs, "buttons": [[*one] for one in form.buttons]}


def _input(one: Input) -> Page:
    hint = texts().say("table.words_hint", longest=one.longest) if one.sort in ("words", "source") else one.hint
    told = {"key": one.key, "label": one.label, "sort": one.sort, "hint": hint, "options": [*one.options]}
    return {**told, **{name: one.field[name] for name in BOUNDS if name in one.field}}
