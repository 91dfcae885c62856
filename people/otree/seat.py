"""A match of a study in oTree: what the page of a seat shows, and what is answered there."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from econzoo.baselines.questions import begun
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.show.escapes import visible
from econzoo.people.otree.match_text import Held
from econzoo.people.participation import blind
from econzoo.people.participation.blind import Blind
from econzoo.people.server.site import texts
from econzoo.people.table.clocks import Uptime
from econzoo.people.table.forms import Form, Input, forms_for
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.match_setup import set_up
from econzoo.people.table.player_threads import Desk, Question, answer_all
from econzoo.people.table.seat_view import Part
from econzoo.people.table.store import Seat

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
        """A participant leaves for good, as soon as they are asked."""
        if self._live.leave(Seat("", self._held.id, seat)):
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
        clock = f"{seen.left // 60}:{seen.left % 60:02d}"
        return texts().say("absent.left_for_move", clock=clock, policy=seen.policy)


def _parts(parts: Sequence[Part]) -> list[Page]:
    return [{"text": visible(part.text), "drawn": part.drawn} for part in parts]


def _form(form: Form) -> Page:
    return {"inputs": [_input(one) for one in form.inputs], "buttons": [[*one] for one in form.buttons]}


def _input(one: Input) -> Page:
    hint = texts().say("table.words_hint", longest=one.longest) if one.sort in ("words", "source") else one.hint
    told = {"key": one.key, "label": one.label, "sort": one.sort, "hint": hint, "options": [*one.options]}
    return {**told, **{name: one.field[name] for name in BOUNDS if name in one.field}}
