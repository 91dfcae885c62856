"""The operator's page of a study: who is where, approving, excluding, the export."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import zipfile

import pytest
from operating import row
from participant import PROGRAM, Lab, play
from starlette.testclient import TestClient
from visitor import find_problems, phrase

from econzoo.people.manage.monitor import MAX_TEXT_LENGTH
from econzoo.people.participation import MESSAGE, OPERATOR, participants, presence
from econzoo.people.participation.study_pages import OpenPages

pytestmark = pytest.mark.slow

HOME = "/manage/study/pilot"


class Watcher:
    """The operator of a study."""

    def __init__(self, lab: Lab) -> None:
        self.client = TestClient(lab.app)
        self.client.get("/operator?token=an operator's token")
        self.look()

    def look(self) -> str:
        answer = self.client.get(HOME)
        self.csrf = re.search(r'name="csrf" value="(\w+)"', answer.text)[1]
        return self._take(answer)

    def act(self, what: str, **given: str) -> str:
        return self._take(self.client.post(HOME, data={"csrf": self.csrf, "do": what, **given}))

    def _take(self, answer: object) -> str:
        self.status, self.text = answer.status_code, answer.text
        self.told = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))
        self.problems = find_problems(answer.text)
        return self.text


@pytest.fixture
def done(new):
    """A study of two people that is over."""
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next().tell().finish()
    return lab, ann, ben


def test_the_operator_sees_who_is_where(new):
    lab = new()
    ann = lab.guest("ann").agree()
    lab.ready("ben")
    watcher = Watcher(lab)
    assert phrase("monitor.admitted", count=1, of=2) in watcher.told
    read, room = phrase("monitor.at_instructions"), phrase("monitor.at_waiting")
    here, waited = phrase("monitor.here"), phrase("monitor.waited", seconds=r"\d+")
    assert re.fullmatch(rf"1 ann {read} {here} \d\d-\d\d \d\d:\d\d 2 / 2 \S \S", row(watcher.text, 1))
    assert re.fullmatch(rf"2 ben {room} {here} {waited} \d.*", row(watcher.text, 2))
    assert f'href="http://testserver{ann.path}"' in watcher.text
    assert "/study/pilot?label=LABEL" in watcher.text
    ann.read("elm").read("elm")
    watcher.look()
    assert f"1 ann {phrase('monitor.at_excluded')}: code word" in watcher.told


def test_why_somebody_was_excluded_is_told_in_the_language_of_the_pages(new):
    lab = new(texts="de")
    lab.guest("ann").agree().read("elm").read("elm")
    assert "1 ann ausgeschlossen: Codewort" in Watcher(lab).told


def test_the_operator_sees_who_has_closed_the_page(new, wait):
    lab = new()
    lab.ready("ann")
    watcher = Watcher(lab)
    before = re.search(r'data-state="([\d.]+)"', watcher.text)[1]
    wait(presence.AWAY_SECONDS)
    watcher.look()
    assert f"1 ann {phrase('monitor.at_waiting')} {phrase('monitor.away')}" in row(watcher.text, 1)
    assert re.search(r'data-state="([\d.]+)"', watcher.text)[1] != before


def test_strangers_and_participants_see_nothing(new):
    lab = new()
    ann = lab.guest("ann")
    for client in (TestClient(lab.app), ann.client):
        for path in (HOME, f"{HOME}/table", f"{HOME}/events", f"{HOME}/export.zip"):
            assert client.get(path, follow_redirects=False).status_code == 303
        assert client.post(HOME, data={"do": "exclude", "number": "1", "text": "x"}).status_code == 403
    watcher = Watcher(lab)
    assert watcher.client.post(HOME, data={"do": "exclude", "number": "1", "text": "x"}).status_code == 403
    assert ann.where == "consent"


def test_payments_are_approved(done):
    lab, ann, ben = done
    watcher = Watcher(lab)
    approved, undone = f">{phrase('monitor.approved')}<", f">{phrase('monitor.revoke')}<"
    assert approved not in watcher.text
    watcher.act("approve", number="1")
    assert (ann.kept.approved, ben.kept.approved) == (1, 0)
    watcher.act("approve_all")
    assert (ann.kept.approved, ben.kept.approved) == (1, 1)
    assert watcher.text.count(approved) == watcher.text.count(undone) == 2
    watcher.act("revoke", number="2")
    assert (ann.kept.approved, ben.kept.approved) == (1, 0)
    assert f"EUR {2 + ann.kept.bonus_cents / 100:.2f}" in watcher.told
    kinds = [[kind for _, kind, told in lab.store.events_of(one.kept) if "by" in told] for one in (ann, ben)]
    assert kinds == [["approve"], ["approve", "revoke"]]


def test_who_has_no_code_is_not_approved(new):
    lab = new()
    lab.guest("ann")
    watcher = Watcher(lab)
    watcher.act("approve", number="1")
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.not_paid"))
    for number in ("2", "0", "-1", "x", "²"):
        watcher.act("approve", number=number)
        assert (watcher.status, watcher.problems) == (422, phrase("monitor.nobody_there", count=1)), number


def test_who_was_excluded_is_not_approved(done):
    lab, ann, _ = done
    watcher = Watcher(lab)
    watcher.act("exclude", number="1", text="came twice")
    assert watcher.told.count("EUR 2.") == 1  # to be paid to the other
    watcher.act("approve", number="1")
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.not_paid"))
    ann.leave()
    watcher.act("approve_all")
    assert [one.approved for one in lab.store.participants()] == [0, 1]


def test_who_is_excluded_leaves_the_match_and_the_other_goes_on(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    watcher = Watcher(lab)
    watcher.act("exclude", number="1")
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.no_reason", most=MAX_TEXT_LENGTH))
    assert ann.where == "play"
    watcher.act("exclude", number="1", text="came <b>twice</b>")
    assert (ann.where, ann.kept.excluded_reason) == ("excluded", "came <b>twice</b>")
    (told,) = [told for _, kind, told in lab.store.events_of(ann.kept) if kind == "exclude"]
    assert told == {"by": "operator", "reason": "came <b>twice</b>"}
    assert "came &lt;b&gt;twice&lt;/b&gt;" in watcher.text
    assert "came &lt;b&gt;twice&lt;/b&gt;" in ann.see().text
    play(ben)


def test_the_export_is_downloaded_with_ids_hashed_or_not(done):
    watcher = Watcher(done[0])
    for query, known in (("", False), ("?identified=yes", True)):
        answer = watcher.client.get(f"{HOME}/export.zip{query}")
        files = zipfile.ZipFile(io.BytesIO(answer.content))
        (table,) = (name for name in files.namelist() if name.endswith("participants.csv"))
        rows = list(csv.DictReader(io.StringIO(files.read(table).decode())))
        assert ({row["id"] for row in rows} == {"ann", "ben"}) == known


def test_the_list_of_collections_leads_to_the_study(new):
    assert Watcher(new()).client.get("/manage").url.path == HOME


# Rows of a match


def test_a_row_tells_match_round_partner_and_since_when_somebody_is_asked(new, wait):
    lab = new(repetitions=2, move=120)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    wait(12)
    ann.see().move("C")
    watcher = Watcher(lab)
    which, first = phrase("monitor.which", match=1, matches=2), phrase("monitor.round", round=1)
    asked = rf"{phrase('monitor.asked', seconds='|')}".replace("|", r" ?(\d+) ?")
    assert f"{which}, {first}, {phrase('monitor.with', others='#2')}" in row(watcher.text, 1)
    assert not re.search(asked, row(watcher.text, 1))
    assert int(re.search(asked, row(watcher.text, 2))[1]) == pytest.approx(12, abs=5)
    ben.see().move("C")
    assert phrase("monitor.round", round=2) in row(watcher.look(), 1)
    play(ann, ben)
    assert phrase("monitor.over") in row(watcher.look(), 1)


def test_a_row_names_programs_and_has_the_buttons_that_do_something(new):
    lab = new(arms=PROGRAM)
    lab.ready("ann")
    lab.guest("ben")
    watcher = Watcher(lab)
    assert phrase("monitor.with", others="tit-for-tat") in row(watcher.text, 1)

    def buttons(number: int) -> set[str]:
        rows = re.split(r'<tbody id="row-\d+">', watcher.look())
        return {*re.findall(r'name="do" value="(\w+)"', rows[number].partition("</tbody>")[0])}

    assert buttons(1) == {"advance", "message", "exclude"}
    assert buttons(2) == {"message", "exclude"}
    watcher.act("exclude", number="2", text="came twice")
    assert buttons(2) == set()
    watcher.act("pause")
    assert buttons(1) == {"message", "exclude"}


def test_advance_ends_the_time_of_who_is_asked(new):
    lab = new()
    lab.ready("ann")
    lab.ready("ben").see().move("C")
    watcher = Watcher(lab)
    watcher.act("advance", number="1")
    assert watcher.status == 200
    assert phrase("monitor.round", round=2) in row(watcher.text, 2)
    watcher.act("exclude", number="1", text="came twice")
    watcher.act("advance", number="1")
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.not_waited_for"))


# Messages


def test_a_message_is_read_on_whatever_page_and_escaped(new):
    lab = new()
    guests = [lab.guest("ann"), lab.guest("ben").agree(), lab.guest("cleo").agree().read(), lab.ready("dan")]
    watcher, said = Watcher(lab), "Look <b>up</b>, {{ 7 * 7 }}"
    before = [lab.store.message_count(one.kept) for one in guests]
    watcher.act("message", text=said)
    for guest in guests:
        assert "Look &lt;b&gt;up&lt;/b&gt;, {{ 7 * 7 }}" in guest.see().text, guest.where
    assert [lab.store.message_count(one.kept) for one in guests] == [1 + count for count in before]
    kept = [(kind, told) for _, kind, told in lab.store.events_of(guests[0].kept) if kind == MESSAGE]
    assert kept == [(MESSAGE, {"text": said, "by": OPERATOR})]


def test_a_message_is_for_its_reader_alone_and_goes_with_the_page(new, monkeypatch):
    monkeypatch.setattr(participants, "MESSAGE_SECONDS", -1)
    lab = new()
    ann, ben = lab.guest("ann"), lab.guest("ben")
    watcher = Watcher(lab)
    watcher.act("message", number="1", text="Hello ann")
    assert "Hello ann" in ann.see().text
    assert "Hello ann" not in ben.see().text
    with sqlite3.connect(lab.folder / "pilot" / "table.sqlite") as db:  # it was some time ago
        db.execute("UPDATE events SET at = datetime('now', '-1 hour')")
    assert "Hello ann" in ann.see().text
    assert "Hello ann" not in ann.agree().text


def test_a_message_has_a_bound(new):
    lab = new()
    lab.guest("ann")
    watcher = Watcher(lab)
    for said in ("", " \n ", "x" * (MAX_TEXT_LENGTH + 1)):
        for number in ("", "1"):
            watcher.act("message", number=number, text=said)
            assert (watcher.status, watcher.problems) == (422, phrase("monitor.no_message", most=MAX_TEXT_LENGTH))


def test_a_message_changes_what_open_pages_listen_to(new):
    lab = new()
    ann = lab.guest("ann")
    told = OpenPages(lab.course).state_watcher(ann.kept)
    before, watcher = told(), Watcher(lab)
    watcher.act("message", number="1", text="Hello")
    after = told()
    assert after != before
    watcher.act("pause")
    assert told() not in (before, after)


# Pauses


def test_everybody_reads_that_the_study_is_paused_and_nobody_new_comes_in(new):
    lab = new()
    ann, watcher = lab.guest("ann").agree(), Watcher(lab)
    watcher.act("pause")
    assert phrase("monitor.paused") in watcher.told
    assert phrase("study.paused") in ann.see().text
    assert phrase("study.paused") in lab.guest("ann").text  # who has come before comes back
    new_one = lab.guest("ben")
    assert phrase("study.paused_entry") in new_one.text
    assert len(lab.store.participants()) == 1
    watcher.act("resume")
    assert phrase("study.paused") not in ann.see().text
    lab.guest("ben")
    assert len(lab.store.participants()) == 2


def test_the_export_tells_pauses_and_messages(new):
    lab = new()
    lab.guest("ann")
    watcher = Watcher(lab)
    watcher.act("pause")
    watcher.act("message", number="1", text="Wait")
    watcher.act("resume")
    files = zipfile.ZipFile(io.BytesIO(watcher.client.get(f"{HOME}/export.zip").content))
    (table,) = (name for name in files.namelist() if name.endswith("events.csv"))
    rows = [(one["participant"], one["kind"]) for one in csv.DictReader(io.StringIO(files.read(table).decode()))]
    assert [one for one in rows if one[1] in ("pause", "message", "resume")] == [
        ("", "pause"),
        ("1", "message"),
        ("", "resume"),
    ]


# More places


def test_places_are_added_to_a_study_that_runs(new):
    lab = new(participants=2)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next().tell().finish()
    late = lab.guest("cleo")
    assert late.where == "full"
    watcher = Watcher(lab)
    for wanted in ("0", "-1", "2.5", "four", "10001", ""):
        watcher.act("top_up", wanted=wanted)
        assert (watcher.status, watcher.problems) == (422, phrase("monitor.no_number", most=10_000)), wanted
    watcher.act("top_up", wanted="4")
    assert phrase("manage.finished_of", count=2, of=4) in watcher.told
    dan, eve = lab.ready("dan"), lab.ready("eve")
    assert (dan.where, eve.where) == ("play", "play")
    assert "dan people" in row(watcher.look(), 4)  # of a place that the file does not have
    watcher.act("top_up", wanted="4")
    assert phrase("manage.finished_of", count=2, of=4) in watcher.told  # they are under way: nobody is missing
    kept = lab.store._rows("SELECT details FROM events WHERE participant = '' AND kind = 'top_up' ORDER BY rowid")
    assert [json.loads(told) for (told,) in kept] == [
        {"by": OPERATOR, "wanted": 4, "places": 2},
        {"by": OPERATOR, "wanted": 4, "places": 0},
    ]


def test_a_row_tells_that_somebody_has_left_and_advance_takes_the_other_on(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.leave()
    watcher = Watcher(lab)
    assert phrase("monitor.deserted") in row(watcher.text, 2)
    watcher.act("advance", number="2")
    assert (watcher.status, ben.where) == (200, "questionnaire")
