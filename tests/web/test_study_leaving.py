"""Somebody leaves a match: others are told and go on at once, and what was not theirs is not counted as theirs."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest, Lab, play
from visitor import phrase

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.participation import top_up
from econzoo.people.participation.study_pages import OpenPages
from econzoo.people.study import export_study


def follow(lab: Lab, *guests: Guest) -> None:
    """Their pages are open, with a stream."""
    for guest in guests:
        OpenPages(lab.course).state_watcher(guest.kept)()


def run_out(lab: Lab) -> None:
    """What the clocks see."""
    for live in list(lab.running.tables._live.values()):
        live.tick()
    lab.settle()


def tables_of(lab: Lab) -> dict[str, list[dict[str, str]]]:
    """The tables of an export."""
    path = export_study(lab.folder / "pilot", lab.folder / "out.zip").path
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".csv") and not name.startswith("payments")]
        return {name: [*csv.DictReader(io.StringIO(archive.read(name).decode()))] for name in names}


def records_of(lab: Lab) -> list[Record]:
    """All that have ended, each of which replays."""
    records = [Record.from_json(line) for line in lab.store.record_lines()]
    assert [problem for record in records for problem in replay(record)] == []
    return records


def test_who_has_closed_the_page_for_too_long_has_left_and_the_other_does_not_wait(new, wait):
    lab = new(away=60)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    follow(lab, ann, ben)
    ben.see().move("C")
    wait(61)
    follow(lab, ben)
    run_out(lab)
    assert phrase("study.left_default", role="Player A") in ben.see().text.replace("Player B", "Player A")
    ben.move("C")
    lab.settle()
    assert ben.see().over
    ben.next().tell().finish()
    (record,) = records_of(lab)
    found = tables_of(lab)
    rows = {row["participant"]: row for row in found["seats.csv"]}
    assert (rows["1"]["decisions"], rows["1"]["left"], rows["1"]["others_left"]) == ("0", "1", "0")
    assert (rows["2"]["decisions"], rows["2"]["left"], rows["2"]["others_left"]) == ("2", "0", "1")
    assert rows["1"]["left_at"]
    assert [row["kind"] for row in found["events.csv"] if row["participant"] == "1"][-1] == "left"
    people = {row["participant"]: row for row in found["participants.csv"]}
    assert [people[one]["completed"] for one in "12"] == ["0", "1"]
    (arm,) = found["arms.csv"]
    assert (arm["assigned"], arm["completed"], arm["attrition"]) == ("2", "1", "0.5")
    assert float(arm["payoff_completed"]) == record.payoffs[int(rows["2"]["seat"])]
    assert float(arm["payoff_assigned"]) == sum(record.payoffs) / 2
    assert ann.see().next().where == "questionnaire"  # who comes back goes on behind the match
    assert ann.kept.bonus_cents == 25, "the floor: what others played is not theirs"


def test_after_so_many_missed_moves_the_rest_is_played_at_once(new, wait):
    """A missed move is the default action; after the last that is allowed nobody waits for the absent any more."""
    for policy, status in (("default", "finished"), ("forfeit", "abandoned"), ("tit-for-tat", "finished")):
        lab = new(move=20, missed=1, away=0, leaving=policy)
        ann, ben = lab.ready("ann"), lab.ready("ben")
        ben.see().move("C")
        wait(26)
        run_out(lab)
        if ben.see().page.move_forms:
            ben.move("C")
        for live in lab.running.tables._live.values():
            assert live.players_idle.wait(20)  # scripts think in threads
        (record,) = records_of(lab)
        assert record.status == status, policy
        rows = {row["participant"]: row for row in tables_of(lab)["seats.csv"]}
        assert (rows["1"]["timeouts"], rows["1"]["decisions"], rows["1"]["left"]) == ("1", "0", "1"), policy
        assert rows["2"]["left"] == "0"
        assert ann.kept.page == "play"


def test_one_missed_move_is_not_to_leave(new, wait):
    lab = new(move=20, missed=2, away=0)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ben.see().move("C")
    wait(26)
    run_out(lab)
    play(ann, ben)
    for one in (ann, ben):
        one.next()
    rows = {row["participant"]: row for row in tables_of(lab)["seats.csv"]}
    assert (rows["1"]["timeouts"], rows["1"]["decisions"], rows["1"]["left"]) == ("1", "1", "0")
    assert rows["1"]["payoff"]


def test_who_is_left_alone_may_end_the_match_early_and_is_paid(new, wait):
    for policy in ("default", "forfeit", "tit-for-tat"):
        lab = new(away=60, leaving=policy)
        ann, ben = lab.ready("ann"), lab.ready("ben")
        follow(lab, ann, ben)
        ben.see().move("C")
        wait(61)
        follow(lab, ben)
        run_out(lab)
        assert lab.store.record_lines() or phrase("study.end_early") in ben.see().text, "or it is over already"
        ben.see().next()
        lab.settle()
        assert ben.where == "questionnaire"
        rows = {row["participant"]: row for row in tables_of(lab)["seats.csv"]}
        assert rows["2"]["left"] == "0", policy
        assert rows["2"]["decisions"] == ("0" if policy == "forfeit" else "1"), "a move that no round came of is none"
        (record,) = records_of(lab)
        if record.has_result:
            seat = int(rows["2"]["seat"])
            assert ben.kept.bonus_cents == min(max(round(record.payoffs[seat] * 10), 25), 150), policy


def test_nobody_may_end_a_match_that_nobody_has_left(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.send("play", {"match": "0"})
    assert (ann.where, ben.where) == ("play", "play")
    assert phrase("study.end_early") not in ann.see().text


def test_own_matches_before_leaving_stay_and_are_paid(new, wait):
    lab = new(away=60, repetitions=2)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next()
    follow(lab, ann, ben)
    wait(61)
    follow(lab, ben)
    run_out(lab)
    ann.see().next().tell().finish()
    first, *_ = [Record.from_json(line) for line in lab.store.record_lines()]
    seat = lab.course.seating.own_matches(ann.kept)[0].players.index(ann.kept.place)
    assert ann.kept.bonus_cents == min(max(round(first.payoffs[seat] * 10), 25), 150)
    assert ann.kept.completion_code


def test_the_rule_is_told_beforehand(new):
    told = new(move=20, missed=3, away=45).guest("ann").text
    for name, fields in (
        ("study.leave_time", {"seconds": 20}),
        ("study.leave_missed", {"count": 3}),
        ("study.leave_away", {"seconds": 45}),
        ("study.leave_default", {}),
        ("study.leave_unpaid", {}),
    ):
        assert phrase(name, **fields) in told, name
    assert phrase("study.leaving") not in new(move=0, missed=0, away=0).guest("ann").text


def test_why_somebody_did_not_play_is_told(new, wait):
    lab = new(participants=4, repetitions=2)
    ann, ben, eve = lab.ready("ann"), lab.ready("ben"), lab.ready("eve")
    play(ann, ben)
    ann.leave()
    ben.next()
    lab.settle()
    assert phrase("study.unmatched", count=1) in ben.see().text
    wait(301)
    lab.settle()
    assert phrase("study.unmatched_alone", clock="5:00") in eve.see().text


def test_a_study_that_is_short_is_topped_up_while_it_runs(new):
    lab = new(participants=2)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    before = lab.course.seating.pairing.table
    assert lab.guest("eve").where == "full"
    ann.leave()
    assert top_up(lab.study, lab.store, 2) == 2, "a pair, for one who is missing"
    assert top_up(lab.study, lab.store, 2) == 0
    eve, joe = lab.ready("eve2"), lab.ready("joe")
    assert (eve.where, joe.where) == ("play", "play")
    assert lab.course.seating.pairing.table[: len(before)] == before
    lab.start_again()
    assert [row["planned_match"] for row in tables_of(lab)["seats.csv"]] == ["1", "1", "2", "2"]
    assert ben.kept.place is not None


def test_who_has_waited_too_long_takes_the_partner_of_somebody_else(new, wait):
    """Two of different pairs wait, and play together at the limit; of those who come later one has left."""
    lab = new(participants=4, repetitions=2, partners="random")
    guests = [lab.ready(name) for name in ("ann", "ben", "eve", "joe")]
    play(*guests)
    table, by_place = lab.course.seating.pairing.table, {guest.kept.place: guest for guest in guests}
    (ann, ben), (eve, joe) = [[by_place[place] for place in one.places] for one in table if one.repetition == 1]
    ann.next(), eve.next()
    wait(301)
    ann.see(), eve.see()
    lab.settle()
    assert [one.where for one in (ann, eve)] == ["play", "play"]
    joe.leave()
    ben.next()
    lab.settle()
    assert ben.where == "questionnaire"
    assert phrase("study.unmatched", count=1) in ben.see().tell().text
