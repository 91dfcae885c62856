"""Whoever has closed the page of the waiting room is matched with nobody, until they open it again."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest

from econzoo.people.participation import presence
from econzoo.people.participation.study_pages import OpenPages


def where(*guests: Guest) -> tuple[str, ...]:
    return tuple(guest.where for guest in guests)


def test_who_is_away_is_matched_when_they_are_back(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(presence.AWAY_SECONDS)
    ben = lab.ready("ben")
    lab.settle()
    assert where(ann, ben) == ("waiting", "waiting")
    ann.see()
    lab.settle()
    assert where(ann, ben) == ("play", "play")


def test_who_is_there_a_moment_ago_is_there(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(presence.AWAY_SECONDS / 2)
    assert where(lab.ready("ben"), ann) == ("play", "play")


def test_an_open_stream_is_an_open_page(new, wait):
    lab = new()
    ann = lab.ready("ann")
    stream = OpenPages(lab.course).state_watcher(ann.kept)
    wait(presence.AWAY_SECONDS)
    assert stream() == "waiting.0.1 waiting.0.0.0"  # as it tells ten times a second, while somebody listens
    assert where(lab.ready("ben"), ann) == ("play", "play")


def test_nobody_waits_for_somebody_who_is_away_longer_than_the_file_says(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(presence.AWAY_SECONDS)
    ben = lab.ready("ben")
    wait(301)
    lab.settle()
    assert ben.where == "debriefing"
    assert ben.see().finish().kept.completion_code
    assert ann.kept.completion_code is None  # who has closed the page has no code before they come back
    assert ann.see().finish().kept.completion_code


def test_a_program_takes_the_place_of_who_is_away(new, wait):
    lab = new(alone="tit-for-tat")
    ann = lab.ready("ann")
    wait(presence.AWAY_SECONDS)
    ben = lab.ready("ben")
    wait(301)
    lab.settle()
    assert where(ann, ben) == ("waiting", "waiting")  # nobody is there now
    ben.see()
    lab.settle()
    assert ben.where == "play"
    (match,) = lab.store.matches().values()
    assert sorted(lab.store.match(match).match.players) == ["human", "tit-for-tat"]


def test_a_server_that_starts_again_waits_until_it_sees_somebody(new):
    lab = new()
    ann = lab.ready("ann")
    lab.start_again()
    ben = lab.ready("ben")
    assert ann.where == "waiting"
    again = lab.guest("ann")
    lab.settle()
    assert where(again, ben) == ("play", "play")


def test_open_pages_are_told_of_a_step_when_others_can_read_it(new, monkeypatch):
    """Whoever is told reads once: what cannot be read yet would never be seen."""
    lab, read = new(), []
    ann, touch = lab.guest("ann"), lab.store.touch
    monkeypatch.setattr(lab.store, "touch", lambda *who: (read.append(ann.kept.page), touch(*who)))
    ann.agree().read().answer()
    assert read == ["instructions", "quiz", "waiting"]


def test_nobody_has_waited_too_long_while_others_come_back_to_a_server_that_starts_again(new, wait):
    lab = new()
    lab.ready("ann")
    wait(presence.AWAY_SECONDS)
    lab.ready("ben")
    wait(301 - presence.AWAY_SECONDS)
    lab.running.tables.uptime.beat()
    lab.start_again()
    ann = lab.guest("ann")
    lab.settle()
    assert ann.where == "waiting"
    ben = lab.guest("ben")
    lab.settle()
    assert where(ann, ben) == ("play", "play")
