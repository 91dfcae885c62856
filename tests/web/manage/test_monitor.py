"""The operator's page of a study: who is where, approving, excluding, the export."""

from __future__ import annotations

import csv
import io
import re
import zipfile

import pytest
from participant import Lab, play
from starlette.testclient import TestClient
from visitor import phrase, problems

from econzoo.people.manage.monitor import MOST_REASON
from econzoo.people.participation import seating
from refusals import says

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
        self.problems = problems(answer.text)
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
    assert re.search(rf"1 ann {read} \d\d-\d\d \d\d:\d\d 2 / 2 (\S ){{3}}2 ben", watcher.told)
    assert re.search(rf"2 ben people {room} \d\d", watcher.told)
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
    wait(seating.AWAY)
    watcher.look()
    assert f"1 ann people {phrase('monitor.at_waiting')}, {phrase('monitor.away')}" in watcher.told
    assert re.search(r'data-state="([\d.]+)"', watcher.text)[1] != before


def test_strangers_and_participants_see_nothing(new):
    lab = new()
    ann = lab.guest("ann")
    for client in (TestClient(lab.app), ann.client):
        for path in (HOME, f"{HOME}/table", f"{HOME}/events", f"{HOME}/export.zip"):
            assert client.get(path, follow_redirects=False).status_code == 303
        assert client.post(HOME, data={"do": "exclude", "number": "1", "reason": "x"}).status_code == 403
    watcher = Watcher(lab)
    assert watcher.client.post(HOME, data={"do": "exclude", "number": "1", "reason": "x"}).status_code == 403
    assert ann.where == "consent"


def test_payments_are_approved(done):
    lab, ann, ben = done
    watcher = Watcher(lab)
    assert watcher.text.count("<td>yes</td>") == 0
    watcher.act("approve", number="1")
    assert (ann.kept.approved, ben.kept.approved) == (1, 0)
    watcher.act("approve_all")
    assert (ann.kept.approved, ben.kept.approved) == (1, 1)
    assert watcher.text.count("<td>yes</td>") == 2
    watcher.act("revoke", number="2")
    assert (ann.kept.approved, ben.kept.approved) == (1, 0)
    assert f"EUR {2 + ann.kept.bonus_cents / 100:.2f}" in watcher.told


def test_who_has_no_code_is_not_approved(new):
    lab = new()
    lab.guest("ann")
    watcher = Watcher(lab)
    watcher.act("approve", number="1")
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.not_paid"))
    watcher.act("approve", number="2")
    assert watcher.status == 422
    says(watcher.problems, 2, 1)


def test_who_was_excluded_is_not_approved(done):
    lab, ann, _ = done
    watcher = Watcher(lab)
    watcher.act("exclude", number="1", reason="came twice")
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
    assert (watcher.status, watcher.problems) == (422, phrase("monitor.no_reason", most=MOST_REASON))
    assert ann.where == "play"
    watcher.act("exclude", number="1", reason="came <b>twice</b>")
    assert (ann.where, ann.kept.excluded_reason) == ("excluded", "came <b>twice</b>")
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
