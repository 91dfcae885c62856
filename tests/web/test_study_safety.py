"""What the pages of a study keep to themselves, and whom they let in."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PROGRAM, file_of, play
from test_safety import HOSTILE
from visitor import phrase

from econzoo.people.participation import arrivals
from econzoo.people.server.security import HEADERS
from econzoo.people.texts.points import NBSP

STEPS = ("consent", "instructions", "quiz", "play", "questionnaire", "debriefing", "withdraw", "move", "check")


def test_the_link_of_another_participant_moves_nothing_of_mine(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    seat = lab.course.seating.seat(ann.kept)
    assert ben.client.post(f"/s/{seat.token}/move", data={"kind": "C", "number": "0"}).status_code == 404
    ben.see().move("C")
    assert lab.course.seating.live_match(ann.kept).people[seat.seat].open_question is not None
    assert seat.token not in ann.text + ben.text


def test_a_guessed_link_leads_nowhere(new):
    client = new().guest().client
    for path in ("", "/table", "/events"):
        found = client.get(f"/p/{'x' * 24}{path}")
        assert found.status_code == 404, path
        assert phrase("study.lost") in found.text
        assert 'href="/"' not in found.text


def test_nothing_can_be_posted_from_another_site(new):
    ann = new().guest("ann")
    for step in STEPS:
        for headers in ({"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}):
            found = ann.client.post(f"{ann.path}/{step}", data={"consent": "yes"}, headers=headers)
            assert found.status_code == 403, step
        assert ann.where == "consent", step
        assert ann.client.post(f"/p/{'x' * 24}/{step}", data={}).status_code == 404, step


def test_a_step_that_it_is_not_time_for_changes_nothing(new):
    lab = new()
    ann = lab.guest("ann")
    for step in STEPS[1:6] + STEPS[7:]:
        ann.send(step, {"word": "maple", "attempt": "1", "quiz.0": "the payoffs", "match": "0", "kind": "C"})
        assert ann.where == "consent", step
        assert lab.study.words.consent in ann.text


def test_links_that_do_not_say_who_comes_are_refused(new):
    lab = new(source="mturk")
    for asked in (
        {},
        {"workerId": " "},
        {"label": "x"},
    ):
        assert lab.guest().client.get("/study/pilot", params=asked).status_code == 400
    assert lab.guest().client.get("/study/other", params={"workerId": "A"}).status_code == 404
    assert lab.guest(workerId="A", assignmentId="B", hitId="C").where == "consent"
    assert len(lab.store.participants()) == 1


def test_too_many_entries_from_one_address_are_refused_for_a_while(new, monkeypatch):
    monkeypatch.setattr(arrivals, "MAX_ENTRIES", 3)
    lab = new()
    for label in ("ann", "ben", "cem"):
        lab.guest(label)
    refused = lab.guest().client.get("/study/pilot", params={"label": "dan"})
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "60"
    assert phrase("study.too_many") in refused.text
    assert lab.guest("ann").where == "consent", "who has come before is let in again"
    assert len(lab.store.participants()) == 3


def test_a_campus_behind_one_address_is_let_in_and_may_come_back(new):
    lab = new()
    client = lab.guest().client
    for _ in range(2):  # everybody opens the link of the study once more
        for number in range(200):
            answer = client.get("/study/pilot", params={"label": f"p{number}"}, follow_redirects=False)
            assert answer.status_code == 303, number
    assert len(lab.store.participants()) == 200


UNFILLED = {
    "prolific": ("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"),
    "mturk": ("workerId", "${workerId}"),
    "links": ("label", "LABEL"),
}


def test_a_link_that_nobody_has_filled_in_is_never_a_participant(new):
    for source, (name, found) in UNFILLED.items():
        lab = new(source=source)
        answer = lab.guest().client.get("/study/pilot", params={name: found})
        assert answer.status_code == 400, source
        assert phrase("study.unfilled", found=found).replace("'", "&#39;") in answer.text
        assert lab.store.participants() == []


def test_a_preview_shows_the_consent_and_makes_nobody(new):
    lab = new(source="mturk")
    for more in ({}, {"workerId": "A"}):
        answer = lab.guest().client.get(
            "/study/pilot", params={"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H", **more}
        )
        assert answer.status_code == 200
        for told in (lab.study.words.consent, phrase("study.preview_hint"), phrase("study.pay_fee", fee="EUR 2.00")):
            assert told in answer.text.replace(NBSP, " ")
        assert "<form" not in answer.text
    assert lab.store.participants() == []


def test_no_address_of_a_participant_is_kept(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.see().move("C"), ben.see().move("C")
    kept = b"".join(path.read_bytes() for path in (lab.folder / "pilot").iterdir())
    assert b"testclient" not in kept  # what the test client is called
    assert b"ann" in kept


def test_every_page_has_the_headers_and_leads_to_no_other_page_of_the_site(new):
    lab = new(arms=PROGRAM, participants=1)
    ann = lab.guest("ann")
    for go in (ann.agree, ann.read, ann.answer):
        found = ann.client.get(ann.path)
        assert {name: found.headers[name] for name in HEADERS} == HEADERS
        links = [given["href"] for tag, given in ann.see().page.elements if tag == "a"]
        assert set(links) <= {"#main"}
        go()
    assert ann.client.get("/").status_code == 404


def test_hostile_words_make_no_element(new):
    """In answers, in labels and in the study's own texts."""
    own = file_of(arms=PROGRAM, participants=1).replace(
        "Choose with care.", "<b id='mine'>Choose</b> <script>alert(1)</script>"
    )
    lab = new(text=own)
    ann = lab.guest(HOSTILE.replace("\n", " ")[:150].replace("\u202e", "")).agree()
    assert "&lt;b id=&#39;mine&#39;&gt;Choose" in ann.text
    ann.read().answer()
    play(ann, words=HOSTILE)
    ann.next().tell(**{"item.0": HOSTILE, "item.2": HOSTILE})
    assert phrase("study.no_number") in ann.text
    for page in ann.received:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "\u202e" not in page or "<textarea" in page
    ann.tell(**{"item.2": HOSTILE}).finish()
    assert ann.where == "done"


def test_an_answer_that_is_too_long_is_refused(new):
    lab = new(arms=PROGRAM, participants=1)
    ann = lab.ready("ann")
    play(ann)
    ann.next().tell(**{"item.2": "x" * 5001})
    assert phrase("study.too_long", most=5000) in ann.text
    assert ann.where == "questionnaire"
