"""A study whose server is killed while somebody is on every page: all are where they were, and go on from there."""

from __future__ import annotations

import random
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn", reason="the pages of studies need the extra web")

import httpx
from participant import Guest, play
from studying import StudyServer
from visitor import phrase

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay


class Remote(Guest):
    """A participant of a study in a process of its own."""

    def __init__(self, server: StudyServer, label: str) -> None:
        super().__init__(httpx.Client(base_url=server.url.partition("/study/")[0], follow_redirects=True, timeout=30))
        self.lab = SimpleNamespace(study=SimpleNamespace(name="pilot"))
        self.enter(label=label)

    def ready(self) -> Remote:
        """Goes as far as the waiting room."""
        self.agree().read().answer()
        return self

    @property
    def shown(self) -> str:
        """What the page shows, without its clock."""
        return re.sub(r'data-left="\d+">[\d:]+', "", self.see().text)

    @property
    def title(self) -> str:
        """The heading of the page; of a match that is over, that."""
        found = re.findall(r"<h[12]([^>]*)>(?:<[^>]*>)*([^<]+)", self.see().text)
        return dict(reversed(found)).get(' id="end"', found[0][1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudyServer]:
    """A study of five pairs."""
    one = StudyServer(tmp_path, participants=10)
    yield one
    one.kill()


PAIRS = ("waits", "moves", "over", "asked", "told", "done", "left", "partner")
"""Those who are admitted; two after the other meet."""

TITLES = {
    "reads": phrase("study.title_consent"),
    "agreed": phrase("study.title_instructions"),
    "tries": phrase("study.title_quiz"),
    "wrong": phrase("study.title_excluded"),
    "gone": phrase("study.title_withdrawn"),
    "waits": phrase("study.match", match=1, matches=1),
    "moves": phrase("study.match", match=1, matches=1),
    "over": phrase("study.match_over", match=1, matches=1),
    "asked": phrase("study.title_questionnaire"),
    "told": phrase("study.title_debriefing"),
    "done": phrase("study.title_done"),
    "left": phrase("study.title_withdrawn"),
    "partner": phrase("study.match", match=1, matches=1),
    "alone": phrase("study.title_waiting"),
}


def everywhere(server: StudyServer) -> dict[str, Remote]:
    """Somebody on every page."""
    people = {name: Remote(server, name) for name in ("reads", "agreed", "tries", "wrong", "gone")}
    people["agreed"].agree().read("elm")
    people["tries"].agree().read().answer("the weather")
    people["wrong"].agree().read("elm").read("elm")
    people["gone"].agree().leave()
    people |= {name: Remote(server, name).ready() for name in PAIRS}
    people["waits"].see().move("C")
    people["left"].see().leave()
    for pair in (("over", "asked"), ("told", "done")):
        play(*(people[name] for name in pair))
    for name in ("asked", "told", "done"):
        people[name].next()
    for name in ("told", "done"):
        people[name].tell()
    people["done"].finish()
    return people | {"alone": Remote(server, "alone").ready()}


def go_on(people: dict[str, Remote]) -> None:
    """Those who were admitted come to the end."""
    play(people["waits"], people["moves"])
    play(people["partner"])
    for name in ("waits", "moves", "partner", "over"):
        people[name].next()
    for name in ("waits", "moves", "partner", "over", "asked"):
        people[name].tell()
    for name in ("waits", "moves", "partner", "over", "asked", "told"):
        people[name].finish()


def code(guest: Remote) -> str:
    """The completion code on the page."""
    return re.search(r'data-testid="code">(\w+)<', guest.see().text)[1]


@pytest.mark.long
def test_a_server_that_is_killed_with_somebody_on_every_page_loses_nothing(server: StudyServer):
    people = everywhere(server)
    assert {name: guest.title for name, guest in people.items()} == TITLES
    before = {name: guest.shown for name, guest in people.items()}
    server.kill()
    server.start()
    assert {name: guest.shown for name, guest in people.items()} == before
    assert all(
        phrase(f"study.{lead}", count=1) in people[name].text
        for name, lead in (("agreed", "word_hint"), ("tries", "quiz_lead"))
    )
    go_on(people)
    finished = [people[name] for name in PAIRS if name != "left"]
    assert {guest.title for guest in finished} == {phrase("study.title_done")}
    codes = {code(guest) for guest in finished}
    assert len(codes) == len(finished)
    server.kill()
    server.start()
    assert {code(guest) for guest in finished} == codes
    records = list(read_record_file(server.folder / "pilot" / "matches.jsonl"))
    assert len(records) == 4
    assert [problem for record in records for problem in replay(record)] == []


def act(guest: Remote) -> bool:
    """Does what the page asks for; returns whether there is nothing any more."""
    asked = {form.action.rpartition("/")[2] for form in guest.page.forms}
    for step, do in (
        ("consent", guest.agree),
        ("instructions", guest.read),
        ("quiz", guest.answer),
        ("play", guest.next),
        ("questionnaire", guest.tell),
        ("debriefing", guest.finish),
    ):
        if step in asked:
            do()
            return False
    if guest.page.move_forms:
        guest.move("C")
    return 'data-testid="code"' in guest.see().text


@pytest.mark.long
def test_a_server_that_is_killed_at_any_moment_loses_and_doubles_nothing(tmp_path: Path):
    """In the middle of requests: who sent one that was cut off looks at the page again, and does what it asks for."""
    server, luck, kills = StudyServer(tmp_path, participants=2, repetitions=5, move=600), random.Random(5), 0
    guests = [Remote(server, label) for label in ("ann", "ben")]
    done: set[Remote] = set()
    while len(done) < 2:
        for guest in guests:
            timer = threading.Timer(luck.uniform(0, 0.06), server.kill)
            deadly = luck.random() < 0.4
            if deadly:
                timer.start()
            try:
                if act(guest):
                    done.add(guest)
            except httpx.TransportError:
                assert deadly
            if deadly:
                timer.join()
                server.start()
                kills += 1
                guest.see()
    server.kill()
    assert kills > 10
    records = list(read_record_file(server.folder / "pilot" / "matches.jsonl"))
    assert [len(record.turns) for record in records] == [4] * 5
    assert [problem for record in records for problem in replay(record)] == []
    with sqlite3.connect(server.folder / "pilot" / "table.sqlite") as kept:
        codes = [code for (code,) in kept.execute("SELECT completion_code FROM participants")]
        assert len({*codes}) == len(codes) == 2
        assert kept.execute("SELECT count(*) FROM moves").fetchone() == (20,)
