"""Studies in the browser: several participants at once, five at a water table, a server that is killed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")

from participant import PEOPLE, PROGRAM, file_of
from playwright.sync_api import Browser, expect
from studying import Participant, StudyServer

from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import replay

Come = Callable[..., Participant]

TOWN = '[[arms]]\nname = "town"\nseats = ["person", "person", "person", "person", "person"]\n'
MIXED = '[[arms]]\nname = "town"\nseats = ["person", "honest-share", "person", "random", "person"]\nblinded = true\n'


def water(arms: str, people: int) -> str:
    """Two days at the water auction."""
    text = file_of(arms=arms, participants=people)
    return text.replace('game = "matrix"', 'game = "water_allocation"').replace("rounds = 2", "days = 2")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., StudyServer]]:
    """Starts studies."""
    running: list[StudyServer] = []

    def started(**given: object) -> StudyServer:
        running.append(StudyServer(tmp_path, **given))
        return running[-1]

    yield started
    for one in running:
        one.kill()


@pytest.fixture
def come(browser: Browser) -> Iterator[Come]:
    """Makes participants, each with a browser of their own."""
    made: list[Participant] = []

    def participant(server: StudyServer, label: str, listening: bool = False, **options: object) -> Participant:
        made.append(Participant(browser.new_context(**options), server, label, listening))
        return made[-1]

    yield participant
    for one in made:
        one.table.close()


def records(server: StudyServer, count: int) -> list[Record]:
    """So many records, which may come a little later: programs take their time."""
    path, end = server.folder / "pilot" / "matches.jsonl", time.monotonic() + 60
    while len(found := list(read_record_file(path))) < count and time.monotonic() < end:
        time.sleep(0.1)
    assert [problem for record in found for problem in replay(record)] == []
    assert len(found) == count
    return found


def test_four_participants_two_of_whom_meet_programs(run, come):
    """Pages go on by themselves; one returns in another browser, one has two tabs, and one withdraws."""
    server = run(arms=PEOPLE + PROGRAM, participants=4)
    guests = [come(server, label, listening=True).ready() for label in ("ann", "ben", "cleo", "dan")]
    for guest in guests:
        guest.playing()
    link = guests[0].page.locator("input.link").input_value()
    other = come(server, "ann")
    assert other.page.url == link == guests[0].page.url
    other.move("C")
    expect(guests[0].page.locator(".talk .mine")).to_be_visible()  # the first browser follows
    for guest in guests[1:]:
        guest.move("C")
    guests[0].page.close()
    guests[0] = other
    for guest in guests[:3]:
        guest.move("C")
    guests[3].page.locator(".own summary").last.click()
    guests[3].press('form[action$="/withdraw"] button')
    expect(guests[3].page.get_by_role("heading", name="You have withdrawn")).to_be_visible()
    codes = set()
    for guest in guests[:3]:
        guest.over(1)
        guest.next()
        codes.add(guest.finish())
    assert len(codes) == 3
    records(server, 3)
    told = [body for guest in guests for body in guest.table.bodies if "We asked how people choose" not in body]
    streamed = [line for guest in guests for line in guest.table.streamed]
    assert told
    assert streamed
    assert not any("tit-for-tat" in body or "program" in body for body in [*told, *streamed])


@pytest.mark.long
@pytest.mark.parametrize(("arms", "people"), [(TOWN, 5), (MIXED, 3)])
def test_five_at_the_water_auction(run, come, arms, people):
    """Five people, and three people among two programs."""
    server = run(text=water(arms, people))
    guests = [come(server, f"p{n}").ready() for n in range(people)]
    for day in range(2):
        for n, guest in enumerate(guests):
            guest.playing().move("bid", bid=f"{40 + n}.{day}7")
    for guest in guests:
        guest.over(1)
    (record,) = records(server, 1)
    assert len(record.players) == 5
    assert record.players.count("human") == people
    guests[0].next()
    assert guests[0].finish()


KILLS = 20


@pytest.mark.long
def test_a_server_that_is_killed_loses_nothing(run, come):
    """Twenty times, in the middle of matches and at their ends; pages that are open go on."""
    server = run(participants=2, repetitions=5, move=600)
    ann, ben = come(server, "ann").ready(), come(server, "ben").ready()
    kills, moves = 0, 0

    def again() -> None:
        nonlocal kills
        server.kill()
        server.start()
        kills += 1

    for repetition in range(5):
        for _ in range(2):
            for guest in (ann, ben):
                guest.playing().move("C")
                moves += 1
                if moves % 2:
                    again()
        for guest in (ann, ben):
            guest.over(repetition + 1)
            again()
            guest.next()
    codes = {ann.finish(), ben.finish()}
    assert kills == KILLS
    with sqlite3.connect(server.folder / "pilot" / "table.sqlite") as kept:
        assert {code for (code,) in kept.execute("SELECT completion_code FROM participants")} == codes
        assert kept.execute("SELECT count(*) FROM moves").fetchone() == (moves,)
    assert [len(record.turns) for record in records(server, 5)] == [4] * 5


# Who sees badly, or has a small screen


AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def walk(guest: Participant) -> Iterator[str]:
    """Every page of a study, each while it is shown."""
    yield "consent"
    guest.press('button[value="yes"]')
    guest.page.locator("#word").fill("oak")
    guest.press('form[action$="/instructions"] button')
    yield "instructions, with a problem"
    guest.page.locator("#word").fill("maple")
    guest.press('form[action$="/instructions"] button')
    guest.press('form[action$="/quiz"] button')
    yield "quiz, with a problem"
    guest.page.get_by_label("the payoffs").check()
    guest.press('form[action$="/quiz"] button')
    yield "waiting room"
    guest.playing()
    yield "play"
    guest.move("C")
    guest.move("C")
    guest.over(1)
    yield "end of a match"
    guest.next()
    guest.press('form[action$="/questionnaire"] button')
    yield "questionnaire, with problems"
    guest.page.locator('[name="item.0"]').fill("41")
    guest.page.get_by_label("people").check()
    guest.press('form[action$="/questionnaire"] button')
    yield "debriefing"
    guest.press('form[action$="/debriefing"] button')
    yield "done"
    guest.page.locator(".own summary").last.click()
    guest.press('form[action$="/withdraw"] button')
    yield "withdrawn"
    guest.page.goto(guest.server.url + "late")
    yield "full"
    guest.page.goto(guest.server.url.partition("?")[0])
    yield "no label"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_a_phone(run, come, scheme):
    server = run(arms=PROGRAM, participants=1)
    guest = come(server, "ann", color_scheme=scheme, viewport={"width": 390, "height": 844})
    found: dict[str, list[str]] = {}
    for name in walk(guest):
        guest.page.evaluate(AXE)
        violations = guest.page.evaluate("axe.run()")["violations"]
        bad = [one for one in violations if one["impact"] in ("serious", "critical")]
        wide = guest.page.evaluate("document.documentElement.scrollWidth")
        found[name] = [f"{one['id']} at {one['nodes'][0]['target']}" for one in bad] + ["too wide"] * (wide > 390)
    assert {name: told for name, told in found.items() if told} == {}


FITS = "[...document.querySelectorAll('.scroll')].every(one => one.scrollWidth <= one.clientWidth)"


@pytest.mark.long
@pytest.mark.parametrize("texts", ["en", "de"])
def test_the_table_of_participants_fits_a_screen(run, come, texts):
    """With somebody who has come to the end, so that sums are in it, and one who was excluded."""
    server = run(arms=PROGRAM, participants=1, texts=texts)
    come(server, "ann").press('button[value="no"]')
    ben = come(server, "a-label-of-some-length")
    ben.press('button[value="yes"]')
    for _ in range(2):
        ben.page.locator("#word").fill("oak")
        ben.press('form[action$="/instructions"] button')
    eva = come(server, "eva").ready().playing()
    for _ in range(2):
        eva.move("C")
    eva.page.wait_for_selector('form[action$="/play"] button')
    eva.next()
    eva.finish()
    token = (server.folder / "pilot" / "operator.token").read_text(encoding="utf-8").strip()
    eva.page.set_viewport_size({"width": 1280, "height": 800})
    eva.page.goto(f"{server.url.partition('/study/')[0]}/operator?token={token}&to=/manage/study/pilot")
    expect(eva.page.get_by_role("row")).to_have_count(7)  # the heads, and of everybody what is known and the buttons
    assert eva.page.evaluate(FITS)


OUT_OF_SIGHT = """state => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""What a browser does when another tab is chosen; without a screen no page is ever hidden by another."""


def test_a_page_is_out_of_sight_behind_another_tab_but_not_when_the_next_page_comes(run, come):
    server = run()
    ann = come(server, "ann").ready()
    ann.page.reload()
    for state in ("hidden", "visible"):
        with ann.page.expect_response(f"**/noticed/{state}") as answer:
            ann.page.evaluate(OUT_OF_SIGHT, state)
        assert answer.value.status == 204
    with closing(sqlite3.connect(server.folder / "pilot" / "table.sqlite")) as db:
        found = db.execute(
            "SELECT kind, details FROM events WHERE kind IN ('hidden', 'visible') ORDER BY rowid"
        ).fetchall()
    assert found == [("hidden", '{"page": "waiting"}'), ("visible", '{"page": "waiting"}')]
