"""The operator pauses a study, and ends the time of who keeps others waiting."""

from __future__ import annotations

import json

import pytest
from participant import PROGRAM, Lab, play

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.participation import OPERATOR, presence
from econzoo.people.participation.page_names import ADVANCE, PAUSE, RESUME

LIMIT = 60
"""Seconds for a move in these studies."""


def left(lab: Lab, guest) -> float:
    """Seconds that a participant has for the move."""
    return lab.course.seating.live_match(guest.kept).seconds_left(lab.course.seating.seat(guest.kept).seat)


def happened(lab: Lab, token: str) -> list[tuple[str, dict]]:
    """What the operator has done with a participant, or, without one, with the study."""
    rows = lab.store._rows("SELECT kind, details FROM events WHERE participant = ? ORDER BY rowid", token)
    kinds = (ADVANCE, PAUSE, RESUME)
    return [(kind, json.loads(told)) for kind, told in rows if kind in kinds]


def test_clocks_of_moves_stand_in_a_pause(new, wait):
    lab = new(move=LIMIT)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    wait(20)
    lab.course.seating.pause(True)
    before = left(lab, ann)
    assert 0 < before <= LIMIT - 20
    wait(1000)
    assert left(lab, ann) == before
    lab.course.seating.pause(False)
    ann.see().move("C")
    ben.see().move("C")
    assert 0 < left(lab, ann) <= LIMIT
    seconds = [turn.seconds for turn in lab.course.seating.live_match(ann.kept).record_so_far.turns]
    assert seconds == pytest.approx([20, 20], abs=5)  # of thinking, without the pause


def test_nobody_is_matched_or_waits_too_long_in_a_pause(new, wait):
    lab = new(participants=4)
    ann, ben = lab.ready("ann"), lab.guest("ben").agree().read()
    wait(200)
    lab.course.seating.pause(True)
    wait(1000)
    ann.see()
    ben.answer()
    assert (ann.where, ben.where) == ("waiting", "waiting")
    lab.course.seating.pause(False)
    assert (ann.where, ben.where) == ("play", "play")


def test_the_wait_goes_on_where_it_stood(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(200)
    lab.course.seating.pause(True)
    wait(1000)
    lab.course.seating.pause(False)
    wait(90)
    lab.settle()
    assert ann.where == "waiting"
    wait(20)
    lab.settle()
    assert ann.where == "debriefing"


def test_nobody_goes_away_in_a_pause(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(presence.AWAY_SECONDS / 2)
    lab.course.seating.pause(True)
    here = lab.course.seating.presence.is_open
    wait(1000)
    assert here(ann.token)
    lab.course.seating.pause(False)
    assert here(ann.token)


def test_a_pause_outlives_the_server(new, wait):
    lab = new(move=LIMIT)
    ann = lab.ready("ann")
    lab.ready("ben")
    lab.course.seating.pause(True)
    lab.start_again()
    assert lab.store.is_paused
    before = left(lab, ann)
    wait(1000)
    assert left(lab, ann) == before
    lab.course.seating.pause(False)
    wait(30)
    assert left(lab, ann) == pytest.approx(before - 30, abs=5)
    assert happened(lab, "") == [(PAUSE, {"by": OPERATOR}), (RESUME, {"by": OPERATOR})]


def test_a_pause_twice_is_one(new):
    lab = new()
    for paused in (True, True, False, False):
        lab.course.seating.pause(paused)
    assert len(happened(lab, "")) == 2


def test_the_default_action_is_played_for_who_is_asked_and_the_match_goes_on(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    for _ in range(lab.study.settings[0].params["rounds"]):
        ben.see().move("C")
        assert lab.course.advance(ann.kept)
    (line,) = lab.store.record_lines()
    record = Record.from_json(line)
    assert replay(record) == []
    missed = [turn for turn in record.turns if turn.default]
    assert len(missed) == len(record.turns) / 2
    assert len({turn.seat for turn in missed}) == 1
    assert happened(lab, ann.token) == [(ADVANCE, {"by": OPERATOR})] * 2


def test_who_waits_is_treated_as_if_the_limit_were_reached(new):
    lab = new()
    ann = lab.ready("ann")
    assert lab.course.advance(ann.kept)
    assert ann.where == "debriefing"
    program = new(alone="tit-for-tat")
    ben = program.ready("ben")
    assert program.course.advance(ben.kept)
    assert ben.where == "play"


def test_who_looks_at_the_end_of_a_match_goes_on_to_the_next_one(new):
    lab = new(repetitions=2, arms=PROGRAM, participants=1)
    ann = lab.ready("ann")
    play(ann)
    assert lab.course.advance(ann.kept)
    assert ann.kept.repetition == 1


def test_who_keeps_nobody_waiting_is_not_advanced(new):
    lab = new()
    ann = lab.guest("ann").agree()
    assert not lab.course.advance(ann.kept)
    waits = lab.ready("ben")
    lab.course.seating.pause(True)
    assert not lab.course.advance(waits.kept)
    assert happened(lab, waits.token) == []
