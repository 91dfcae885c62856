"""Participants of a blinded study cannot tell a person from a program: by no page, no stream, and no wait."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PEOPLE, PROGRAM, Guest, play, tells
from visitor import phrase

from econzoo.people.participation import BlindedSeatView, blinded_view
from econzoo.people.table import Desk, Question

ROOM = phrase("study.title_waiting")

TELLING = re.compile(
    r"tit-for-tat|program|robot|\bbots?\b|script|model|human|person(?!al)|thinking|people|EconZoo|agents?\b", re.I
)
"""Words that would tell who the others are, or that only some of them might be people."""

OWN = (
    *(r"</?(?:no)?script[^>]*>", r"<meta[^>]*>"),
    *("Who were the others\\?", r'value="people"', "<bdi>people</bdi>"),
)
"""Not of what is told: elements, and the words of the study's own questions."""


def told(page: str) -> list[str]:
    """Telling words of a page."""
    for own in OWN:
        page = re.sub(own, "", page, flags=re.DOTALL)
    return TELLING.findall(page)


@pytest.mark.parametrize("kind", ["C", pytest.param("D", marks=pytest.mark.slow)])
def test_nothing_before_the_debriefing_tells_who_is_a_program(new, kind):
    """The two arms of one study: all that a participant receives is the same, but for secrets, roles and payoffs."""
    lab = new(arms=PEOPLE + PROGRAM, participants=4, repetitions=2, source="prolific")
    guests = [lab.guest(PROLIFIC_PID=f"id{n}").agree().read().answer() for n in range(4)]
    arms = {one.kept.place: lab.course.seating.own_matches(one.kept)[0].arm for one in guests}
    alone = [one for one in guests if arms[one.kept.place] == "program"]
    pair = [one for one in guests if arms[one.kept.place] == "people"]
    assert (len(alone), len(pair)) == (2, 2)
    for _ in range(2):
        play(*alone, *pair, kind=kind)
        for one in guests:
            one.next()
    for one in guests:
        one.tell()
        assert one.where == "debriefing"
        assert [found for page in one.received[:-1] if (found := told(page))] == []
    assert all(tells(one, "study.was_program", program="tit-for-tat") for one in alone)
    assert all(tells(one, "study.was_person") and "program" not in one.text for one in pair)
    assert len({*map(headings, guests)}) == 1


def headings(guest: Guest) -> frozenset[str]:
    """Of all pages, but for the waiting room: a wait is no longer than it needs to be here."""
    found = {one for page in guest.received for one in re.findall(r"<h[12][^>]*>([^<]*)", page)}
    return frozenset(found - {ROOM})


def test_telling_words_are_found():
    assert told("<p>Bob is a program, no person.</p>") == ["program", "person"]
    assert told('<script src="x"></script><p>Your personal link</p>') == []


def test_the_waiting_room_shows_no_count_where_it_would_tell(new):
    lab = new(arms=PEOPLE + PROGRAM, participants=4)
    (waiting,) = [one for one in (lab.ready(f"p{n}") for n in range(3)) if ROOM in one.text]
    assert 'data-testid="count"' not in waiting.text


def test_the_waiting_room_does_not_tell_who_takes_a_free_seat(new):
    lab = new(arms=PEOPLE + PROGRAM, participants=4, alone="tit-for-tat")
    (waiting,) = [one for one in (lab.ready(f"p{n}") for n in range(3)) if ROOM in one.text]
    assert phrase("study.alone_begin") in waiting.text
    assert told(waiting.text) == []


def test_everybody_waits_a_while_where_programs_play(new, wait, monkeypatch):
    monkeypatch.setattr("econzoo.people.participation.seating.MINIMUM_WAIT", (5.0, 5.0))
    lab = new(arms=PROGRAM, participants=1)
    ann = lab.ready("ann")
    assert ann.where == "waiting"
    wait(6)
    lab.settle()
    assert ann.where == "play"


def test_a_stream_does_not_change_when_a_program_thinks(new):
    lab = new(arms=PROGRAM, participants=1, repetitions=2)
    ann = lab.ready("ann")
    seat, live = lab.course.seating.seat(ann.kept), lab.course.seating.live_match(ann.kept)
    page = BlindedSeatView(live, seat)
    live._question = Question(None, None, {}, print)  # it has been asked
    again = BlindedSeatView(live, seat)
    live._question = None
    assert (page.state, page.thinking, page.waiting_text) == (again.state, again.thinking, again.waiting_text)


def test_answers_of_programs_are_handed_on_after_a_while(monkeypatch):
    """At once where another program has just answered: nobody waits for several after another."""
    begun: list[float] = []

    class Timer:
        daemon = False

        def __init__(self, seconds: float, work, given) -> None:
            begun.append(seconds)
            self.work, self.given = work, given

        def start(self) -> None:
            self.work(*self.given)

    class Direct(Desk):
        def ask(self, question: Question) -> None:
            question.on_answer(question, "C", 0.0)

    monkeypatch.setattr(blinded_view, "Timer", Timer)
    monkeypatch.setattr(blinded_view, "ANSWER_DELAY", (5.0, 5.0))
    heard: list[str] = []
    desk = blinded_view.DelayedDesk(Direct())
    for _ in range(2):
        desk.ask(Question(None, None, {}, lambda question, reply, seconds: heard.append(reply)))
    assert heard == ["C", "C"]
    assert [round(seconds) for seconds in begun] == [5]
