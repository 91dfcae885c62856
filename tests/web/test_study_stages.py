"""Pages of questions and rounds of practice around the matches of a study."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PEOPLE, PROGRAM, Guest, Lab, file_of, play, study_in
from visitor import phrase

from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import replay
from econzoo.people.study import export_study, plan_matches
from refusals import refuses

STAGES = """
[[stages]]
title = "About you"
text = "Before you play."
[[stages.items]]
question = "How are you?"
kind = "likert"
labels = ["badly", "well"]

[[stages]]
kind = "practice"
opponent = "tit-for-tat"
[stages.settings]
rounds = 1

[[stages]]
kind = "game"

[[stages]]
[[stages.items]]
question = "Was it hard?"
kind = "number"
[[stages]]
text = "The study is almost over."
"""


def with_stages(stages: str = STAGES, **given: object) -> str:
    return file_of(**given).replace("[payment]", f"{stages}[payment]")


def first_page(lab: Lab, label: str) -> Guest:
    """Somebody on the page behind the quiz."""
    return lab.guest(label).agree().read().answer()


def practised(lab: Lab, label: str) -> Guest:
    """Somebody who has come through the practice, in which they cooperate."""
    guest = first_page(lab, label).send("survey", {"item.0": "5"})
    play(guest)
    return guest.send("practice", {})


def exported(lab: Lab) -> dict[str, str]:
    done = export_study(lab.running.tables.records.path.parent, lab.folder / "out.zip")
    with zipfile.ZipFile(done.path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[f"{name}.csv"])))


def test_stages_come_in_the_order_of_the_file(new):
    lab = new(text=with_stages())
    ann = first_page(lab, "ann")
    assert ann.where == "survey"
    assert "About you" in ann.text
    assert "Before you play." in ann.text
    ann.send("survey", {})
    assert (ann.status, ann.where) == (422, "survey")
    ann.send("survey", {"item.0": "5"})
    assert ann.where == "practice"
    assert phrase("survey.practice_hint") in ann.text
    ben = practised(lab, "ben")
    assert ben.where == "waiting"
    play(ann)
    assert phrase("survey.practice_unpaid") in ann.text
    ann.send("practice", {})
    assert (ann.where, ben.where) == ("play", "play")
    play(ann, ben)
    ann.next()
    assert ann.where == "survey"
    ann.send("survey", {"item.0": "3"})
    assert (ann.where, "The study is almost over." in ann.text) == ("survey", True)
    ann.send("survey", {})
    assert ann.where == "questionnaire"
    ann.tell().finish()
    assert ann.where == "done"


def test_practice_is_neither_paid_nor_in_the_tables_but_it_is_recorded(new):
    lab = new(text=with_stages())
    ann, ben = practised(lab, "ann"), practised(lab, "ben")
    play(ann, ben, kind="D")
    ann.next().send("survey", {"item.0": "3"}).send("survey", {})
    ann.tell().finish()
    files = exported(lab)
    assert len(rows(files, "seats")) == 2
    assert len(files["records.jsonl"].splitlines()) == 1
    played = list(read_record_file(lab.running.tables.records.path))
    assert [one.params.get("rounds") for one in played] == [1, 1, 2]
    assert [replay(one) for one in played] == [[]] * 3
    own = played[-1].payoffs[played[-1].players.index("human")]
    assert ann.kept.bonus_cents == max(25, min(150, round(10 * own))), "that of the match alone"
    assert [row["kind"] for row in rows(files, "answers") if row["kind"].startswith("stage")] == [
        "stage 1",
        "stage 1",
        "stage 4",
    ]
    answered = {(row["kind"], row["question"], row["item_kind"], row["answer"]) for row in rows(files, "answers")}
    assert ("stage 1", "How are you?", "likert", "5") in answered
    assert ("stage 4", "Was it hard?", "number", "3") in answered
    first = rows(files, "participants")[0]
    assert int(first["seconds_practice"]) >= 0
    assert first["seconds_survey"] != ""


def test_a_page_that_is_sent_twice_counts_once(new):
    lab = new(text=with_stages())
    ann = first_page(lab, "ann")
    for answer in ("5", "1"):
        ann.client.post(f"{ann.path}/survey", data={"stage": "0", "item.0": answer})
    assert ann.where == "practice"
    assert lab.store.answers_of(ann.kept, "stage 1") == [(0, 1, "5")]
    ann.client.post(f"{ann.path}/practice", data={"stage": "1"})
    assert ann.where == "practice", "the match is not over"
    ben = practised(lab, "ben")
    ann.see()
    play(ann)
    ann.send("practice", {})
    play(ann, ben)
    ann.next()
    for _ in range(2):
        ann.client.post(f"{ann.path}/survey", data={"stage": "3", "item.0": "7"})
    assert "The study is almost over." in ann.see().text, "not two pages on"


def test_practice_goes_on_after_the_server_was_killed(new):
    lab = new(text=with_stages())
    ann = first_page(lab, "ann").send("survey", {"item.0": "5"})
    match = lab.store.practice_match(ann.kept)
    path = ann.path
    lab.start_again()
    again = lab.guest()
    again.path = path
    again.see()
    assert (again.where, lab.store.practice_match(again.kept)) == ("practice", match)
    play(again)
    again.send("practice", {})
    assert again.where == "waiting"


def test_one_can_withdraw_from_practice_and_pages(new):
    lab = new(text=with_stages())
    ann, ben = first_page(lab, "ann"), first_page(lab, "ben").send("survey", {"item.0": "5"})
    ann.leave(), ben.leave()
    assert [one.kept.withdrawn for one in (ann, ben)] == ["survey", "practice"]
    assert [one.kept.completion_code for one in (ann, ben)] == [None, None], "they were not admitted"


PARTS = """
[[stages]]
kind = "game"
repetitions = 1
[[stages]]
[[stages.items]]
question = "Half of it?"
[[stages]]
kind = "practice"
opponent = "tit-for-tat"
[[stages]]
kind = "game"
repetitions = 2
[stages.settings]
rounds = 1
stage_game = ["prisoners-dilemma", "chicken"]
[[stages]]
text = "All matches are over."
"""


def test_every_match_has_a_setting_of_its_stage(tmp_path):
    for participants in (4, 8):
        study = study_in(
            tmp_path, with_stages(PARTS, participants=participants, partners="random", arms=PEOPLE + PROGRAM)
        )
        assert study.matching.repetitions == 3
        table = plan_matches(study)
        for one in table:
            assert (study.settings[one.setting].params["rounds"] == 2) == (one.repetition == 0)
            assert study.ends_stage(one.repetition) == (one.repetition != 1)
        for arm in study.arms:
            later = Counter(one.setting for one in table if one.arm == arm.name and one.repetition > 0)
            assert max(later.values()) - min(later.values()) <= 1, "as balanced as within one stage"
    alone = study_in(tmp_path, with_stages('[[stages]]\nkind = "game"\n[stages.settings]\nrounds = 5\n'))
    assert alone.params("matrix") == [{"rounds": 5}], "nobody plays in those of the file"


def test_matches_come_in_two_parts(new):
    lab = new(text=with_stages(PARTS))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    ann.next(), ben.next()
    assert (ann.where, ben.where, ann.kept.bonus_cents) == ("survey", "survey", None)
    for one in (ann, ben):
        one.send("survey", {"item.0": "yes"})
        play(one)
        one.send("practice", {})
    assert (ann.see().where, ben.where) == ("play", "play"), "nobody is told that the study is full"
    assert phrase("study.match", match=2, matches=3) in ann.text
    for _ in range(2):
        play(ann.see(), ben.see())
        ann.next(), ben.next()
        ann.see()
    assert (ann.where, "All matches are over." in ann.text) == ("survey", True)
    records = [Record.from_json(line) for line in lab.store.record_lines()]
    assert [one.params["rounds"] for one in records] == [2, 1, 1]
    seats = rows(exported(lab), "seats")
    assert [row["repetition"] for row in seats[::2]] == ["1", "2", "3"]
    ann.send("survey", {}).tell().finish()
    payoffs = [one.payoffs[one.players.index("human")] for one in records]
    assert ann.kept.bonus_cents == max(25, min(150, round(10 * sum(payoffs))))


def test_who_is_left_alone_between_parts_comes_through_all_pages(new):
    lab = new(text=with_stages(PARTS))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    ann.next(), ben.next()
    assert ben.leave().kept.withdrawn == "survey"
    ann.send("survey", {"item.0": "yes"})
    play(ann)
    ann.send("practice", {})
    lab.settle()
    assert (ann.see().where, ann.kept.repetition) == ("survey", 3), "both later matches were left out"
    assert "All matches are over." in ann.text
    assert [kind for _, kind, _ in lab.store.events_of(ann.kept)].count("skipped") == 2
    ann.send("survey", {}).tell().finish()
    assert ann.kept.completion_code in ann.text


def test_a_partner_on_a_page_between_is_awaited(new):
    lab = new(text=with_stages(PARTS))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    ann.next(), ben.next()
    ann.send("survey", {"item.0": "yes"})
    play(ann)
    ann.send("practice", {})
    lab.settle()
    assert (ann.where, ben.where) == ("waiting", "survey")
    ben.send("survey", {"item.0": "no"})
    play(ben)
    ben.send("practice", {})
    assert (ann.where, ben.where) == ("play", "play")


def test_a_file_without_stages_is_one_of_matches_and_questionnaire(tmp_path):
    study = study_in(tmp_path)
    assert [stage.kind for stage in study.stages] == ["game"]
    assert plan_matches(study) == plan_matches(study_in(tmp_path, with_stages()))


def test_stages_that_lead_nowhere_are_refused(tmp_path):
    game = '[[stages]]\nkind = "game"\n'
    for stages, *named in (
        ("[[stages]]\ntext = 'Read.'\n", "game", "at least one"),
        (f"{game}repetitions = 0\n", "stages[1].repetitions", 0, 1),
        (f"{game}repetitions = 10000\n" * 2, "20,000", "100,000"),
        (f"{game}[stages.settings]\nrounds = 'many'\n", "stages[1].settings.rounds", "many"),
        (f"{game}[[stages]]\n", "stages[2].items"),
        (f"{game}[[stages]]\nkind = 'quiz'\n", "stages[2].kind", "practice", "survey", "game"),
        (f"{game}[[stages]]\nkind = 'practice'\n", "stages[2].opponent"),
        (f"{game}[[stages]]\nkind = 'practice'\nopponent = 'hf:smollm2'\n", "stages[2].opponent", "scripts"),
        (f"{game}[[stages]]\nkind = 'practice'\nopponent = 'person'\n", "stages[2].opponent", "person"),
        (f"{game}[[stages]]\nkind = 'practice'\nopponent = 'random'\n[stages.settings]\nrounds = 0\n", "rounds", 0),
        (
            f"{game}[[stages]]\nkind = 'practice'\nopponent = 'random'\n[stages.settings]\nrounds = [1, 2]\n",
            "one value",
        ),
        (f"{game}[[stages]]\ntext = 'x'\nopponent = 'random'\n", "opponent"),
    ):
        with refuses(ValueError, *named):
            study_in(tmp_path, with_stages(stages))
