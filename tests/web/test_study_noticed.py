"""What is noticed of participants: pages that they were shown, and when a page was out of sight."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PROGRAM, Guest, Lab
from visitor import phrase

from econzoo.people.study import export_study, forget
from econzoo.people.study import study_data as noticing


def kinds(guest: Guest, *wanted: str) -> list[tuple[str, str]]:
    """Kind and page of what was noticed of somebody."""
    found = guest.lab.store.events_of(guest.kept)
    return [(kind, told["page"]) for _, kind, told in found if kind in (wanted or noticing.PAGE_EVENTS)]


def notice(guest: Guest, kind: str, **headers: str) -> int:
    """What the script of a page posts; returns the status of the answer."""
    return guest.client.post(f"{guest.path}/noticed/{kind}", headers=headers).status_code


def exported(lab: Lab, table: str) -> list[dict[str, str]]:
    """The rows of a table of the export."""
    with zipfile.ZipFile(export_study(lab.folder / lab.study.name).path) as archive:
        return list(csv.DictReader(io.StringIO(archive.read(f"{table}.csv").decode())))


def test_every_page_that_is_shown_is_a_view_and_a_reload_is_another(new):
    ann = new().guest("ann").agree().see()
    ann.read("oak").read()
    shown = ["consent", "instructions", "instructions", "instructions", "quiz"]
    assert kinds(ann) == [("view", page) for page in shown], "the wrong code word shows the instructions once more"


def test_a_wrong_move_shows_the_match_once_more(new):
    ann = new(arms=PROGRAM, participants=1).ready("ann").see()
    before = kinds(ann).count(("view", "play"))
    assert before > 0
    ann.client.post(f"{ann.path}/move", data={"number": "0", "kind": "none"}, follow_redirects=False)
    assert kinds(ann).count(("view", "play")) == before + 1


def test_a_page_that_loads_itself_again_without_a_script_is_no_view(new):
    ann = new().ready("ann")
    assert '<meta http-equiv="refresh" content="4; url=?of=waiting.0">' in ann.text
    before = kinds(ann)
    ann.client.get(f"{ann.path}?of=waiting.0")
    assert kinds(ann) == before
    ann.client.get(f"{ann.path}?of=play.0")
    assert kinds(ann) == [*before, ("view", "waiting")], "what it shows is another page by now"


def test_a_page_out_of_sight_is_kept_after_the_consent(new):
    ann = new().guest("ann")
    assert "data-noticed" not in ann.text
    assert notice(ann, "hidden") == 204
    ann.agree()
    assert f'data-noticed="{ann.path}/noticed"' in ann.text
    assert [notice(ann, kind) for kind in ("hidden", "visible")] == [204, 204]
    assert kinds(ann, "hidden", "visible") == [("hidden", "instructions"), ("visible", "instructions")]


def test_nothing_else_and_nobody_else_can_post_it(new):
    ann = new().guest("ann").agree()
    before = ann.lab.store.events_of(ann.kept)
    assert notice(ann, "view") == notice(ann, "entry") == 404
    assert notice(ann, "hidden", origin="https://evil.example") == 403
    assert ann.client.post("/p/nobody/noticed/hidden").status_code == 404
    assert ann.lab.store.events_of(ann.kept) == before


def test_nothing_is_noticed_of_who_withdrew_or_was_forgotten(new):
    lab = new()
    ann, ben = lab.guest("ann").agree(), lab.guest("ben").agree()
    ann.leave()
    lab.store.forget(ben.kept)
    left = kinds(ann)
    for one in (ann, ben):
        one.see()
        notice(one, "hidden")
    assert kinds(ann) == left
    assert kinds(ben) == []


def test_no_participant_fills_the_disk(new, monkeypatch):
    monkeypatch.setattr(noticing, "MAX_PAGE_EVENTS", 3)
    lab = new()
    ann, ben = lab.guest("ann").agree(), lab.guest("ben").agree()
    for _ in range(5):
        ann.see()
        notice(ann, "hidden")
    notice(ben, "hidden")
    assert [len(kinds(ann, kind)) for kind in ("view", "hidden")] == [3, 3]
    assert [len(kinds(ben, kind)) for kind in ("view", "hidden")] == [2, 1], "the cap is each one's own"


def test_the_export_of_one(new):
    lab = new()
    ann = lab.guest("ann").agree().read()
    notice(ann, "hidden")
    with lab.store._db as db:  # when the pages were reached: it is the times of the file that are told
        for page, at in (("consent", "10:00:00"), ("instructions", "10:00:12"), ("quiz", "10:01:40")):
            text = "UPDATE events SET at = ? WHERE kind = 'page' AND details = ?"
            assert db.execute(text, (f"2026-03-02 {at}", f'{{"page": "{page}"}}')).rowcount == 1
    (row,) = exported(lab, "participants")
    assert (row["seconds_consent"], row["seconds_instructions"]) == ("12", "88")
    assert (row["seconds_quiz"], row["seconds_play"]) == ("", ""), "not left, and not reached"
    assert (row["views"], row["hidden"]) == ("3", "1")
    told = [(one["participant"], one["kind"], one["details"]) for one in exported(lab, "events")]
    assert told.count(("1", "view", '{"page": "quiz"}')) == 1
    assert told[-1] == ("1", "hidden", '{"page": "quiz"}')


def test_who_is_forgotten_was_never_noticed(new):
    lab = new()
    ann, ben = lab.guest("ann").agree(), lab.guest("ben").agree()
    for one in (ann, ben):
        notice(one, "hidden")
    forget(lab.folder / lab.study.name, ann.kept.external_id)
    gone, stays = exported(lab, "participants")
    assert (gone["views"], gone["hidden"]) == ("", "")
    assert (stays["views"], stays["hidden"]) == ("2", "1")
    left = {one["participant"] for one in exported(lab, "events") if one["kind"] in noticing.PAGE_EVENTS}
    assert left == {"2"}


@pytest.mark.parametrize("texts", ["en", "de"])
def test_participants_are_told(new, texts):
    ann = new(texts=texts).guest("ann")
    assert phrase("study.noticed", texts) in ann.text
    assert phrase("study.noticed", texts) in ann.agree().text
