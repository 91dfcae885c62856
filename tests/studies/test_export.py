"""What leaves the folder of a study, checked against four participants whose matches are known."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import zipfile
from pathlib import Path

import pytest
from given import study
from ran import EVIL, IDS, SMALL, ran

import econzoo
from econzoo.__main__ import main
from econzoo.evaluate.run import read_settings, replay_file
from econzoo.people.participation import Participants
from econzoo.people.study import export_study, forget, plan_matches
from econzoo.people.study.export import columns
from econzoo.people.study.study_data import FORGOTTEN_PREFIX
from refusals import refuses, says

Table = list[dict[str, str]]


def exported(folder: Path, identified: bool = False) -> dict[str, str]:
    """Text of every file in the zip."""
    done = export_study(folder, folder / "out.zip", identified)
    with zipfile.ZipFile(done.path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def table(files: dict[str, str], name: str) -> Table:
    return list(csv.DictReader(io.StringIO(files[name])))


def test_the_records_replay(tmp_path: Path) -> None:
    ran(tmp_path)
    (tmp_path / "again.jsonl").write_text(exported(tmp_path)["records.jsonl"], encoding="utf-8")
    found = list(replay_file(tmp_path / "again.jsonl"))
    assert len(found) == 3, "one of two people, two with a program"
    assert [one.problems for one in found] == [[]] * 3


def test_a_row_for_everybody(tmp_path: Path) -> None:
    records = ran(tmp_path)
    rows = table(exported(tmp_path), "participants.csv")
    assert [row["participant"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row["place"] for row in rows] == ["1", "2", "3", "4", ""]
    assert [row["bonus"] for row in rows] == ["1.00", "1.01", "1.02", "1.03", ""]
    assert [row["fee"] for row in rows] == ["1.00", "1.00", "1.00", "1.00", "0.00"]
    assert rows[4]["excluded_reason"] == "wrong code word"
    for plan in plan_matches(study(**SMALL)):
        for seat, who in enumerate(plan.players):
            if isinstance(who, int):
                assert float(rows[who]["payoff"]) == records[plan.number].payoffs[seat]
                assert (rows[who]["arm"], rows[who]["matches"]) == (plan.arm, "1")


def test_who_sat_where(tmp_path: Path) -> None:
    records = ran(tmp_path)
    rows = table(exported(tmp_path), "seats.csv")
    assert len(rows) == 6
    for plan in plan_matches(study(**SMALL)):
        own = [row for row in rows if row["planned_match"] == str(plan.number + 1)]
        people = [str(who + 1) if isinstance(who, int) else "" for who in plan.players]
        assert [row["participant"] for row in own] == people
        assert {row["match"] for row in own} == {records[plan.number].id}
        assert [float(row["payoff"]) for row in own] == records[plan.number].payoffs


def test_answers_are_told_with_their_question(tmp_path: Path) -> None:
    ran(tmp_path)
    rows = table(exported(tmp_path), "answers.csv")
    wrong = [row for row in rows if row["kind"] == "attention"]
    assert [(row["participant"], row["attempt"], row["answer"], row["right"]) for row in wrong] == [
        ("5", "1", "Oak", "0"),
        ("5", "2", "elm", "0"),
    ]
    assert [(row["question"], row["answer"]) for row in rows if row["kind"] == "questionnaire"] == [
        ("How old are you?", str(age)) for age in (30, 31, 32, 33)
    ]


def test_nobody_is_told_by_default(tmp_path: Path) -> None:
    ran(tmp_path)
    files = exported(tmp_path)
    everything = "\n".join(files.values())
    for secret in (*IDS, "CODE0", "token0", '"ip"', (tmp_path / "export.salt").read_text().strip()):
        assert secret not in everything
    again = table(exported(tmp_path), "participants.csv")
    assert [row["id"] for row in again] == [row["id"] for row in table(files, "participants.csv")]
    assert len({row["id"] for row in again}) == 5


def test_another_folder_has_other_ids(tmp_path: Path) -> None:
    found = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        ran(tmp_path / name)
        found.append({row["id"] for row in table(exported(tmp_path / name), "participants.csv")})
    assert not found[0] & found[1]


def test_payments_as_platforms_take_them(tmp_path: Path) -> None:
    """Id and amount without heads; an id that a spreadsheet would compute stands behind an apostrophe."""
    ran(tmp_path)
    with sqlite3.connect(tmp_path / "table.sqlite") as db:
        db.execute("UPDATE participants SET approved = 1 WHERE place < 3")
    told = exported(tmp_path, identified=True)
    assert told["payments.csv"] == f"5f01aa,1.00\n'{EVIL},1.01\n5f03cc,1.02\n"
    assert told["payments_not_approved.csv"] == "5f04dd,1.03\n"
    rows = table(exported(tmp_path, identified=True), "participants.csv")
    assert [row["completion_code"] for row in rows] == ["CODE0", "CODE1", "CODE2", "CODE3", ""]


def test_the_codebook_tells_every_column(tmp_path: Path) -> None:
    ran(tmp_path)
    files = exported(tmp_path)
    for name, meanings in columns().items():
        heads = files[f"{name}.csv"].splitlines()[0].split(",")
        assert heads == list(meanings)
        assert all(f"| {head} | " in files["codebook.md"] for head in heads)
    for name in files.keys() - {"codebook.md"}:
        assert name.partition("/")[0] in files["codebook.md"]


def test_models_can_play_in_the_same_settings(tmp_path: Path) -> None:
    ran(tmp_path)
    (tmp_path / "settings.json").write_text(exported(tmp_path)["settings.json"], encoding="utf-8")
    settings = read_settings(econzoo.game("bargaining"), tmp_path / "settings.json")
    assert [setting.params for setting in settings] == study(**SMALL).params("bargaining")


def test_gles_folders(tmp_path: Path) -> None:
    records = ran(tmp_path)
    files = exported(tmp_path)
    configs = [name for name in files if name.endswith("config.json")]
    assert len(configs) == len(records)
    assert all(f"glee/bargaining/{record.id.upper()}/game.csv" in files for record in records.values())
    for record in records.values():
        config = json.loads(files[f"glee/bargaining/{record.id.upper()}/config.json"])
        wanted = ["otree" if spec == "human" else "econzoo" for spec in record.players]
        assert [config["player_1_type"], config["player_2_type"]] == wanted


def test_a_match_that_goes_on_has_no_record(tmp_path: Path) -> None:
    ran(tmp_path)
    with sqlite3.connect(tmp_path / "table.sqlite") as db:
        db.execute("UPDATE matches SET record = NULL WHERE id = 'm0'")
    files = exported(tmp_path)
    assert len(files["records.jsonl"].splitlines()) == 2
    assert [(row["status"], row["payoff"]) for row in table(files, "seats.csv")[:2]] == [("", "")] * 2


# Forgetting


def test_who_is_forgotten_leaves_a_gap(tmp_path: Path) -> None:
    ran(tmp_path)
    before = table(exported(tmp_path), "participants.csv")[2]
    assert [one.token for one in forget(tmp_path, "5f03cc")] == ["token2"]
    files = exported(tmp_path, identified=True)
    row = table(files, "participants.csv")[2]
    assert row["id"].startswith(FORGOTTEN_PREFIX)
    assert (row["label"], row["completion_code"], row["forgotten"]) == ("", "", "1")
    assert row["fee"] == ""
    assert (row["payoff"], row["bonus"], row["arm"]) == (before["payoff"], before["bonus"], before["arm"])
    assert [one["participant"] for one in table(files, "answers.csv") if one["kind"] == "questionnaire"] == [
        "1",
        "2",
        "4",
    ]
    assert len(files["records.jsonl"].splitlines()) == 3
    assert b"5f03cc" not in b"".join(path.read_bytes() for path in tmp_path.glob("table.sqlite*"))


def test_nobody_else_is_forgotten(tmp_path: Path) -> None:
    ran(tmp_path)
    with refuses(ValueError, "5f03"):
        forget(tmp_path, "5f03")


def test_where_no_study_has_run_there_is_nothing(tmp_path: Path) -> None:
    for work in (export_study, lambda folder: forget(folder, "x")):
        with refuses(FileNotFoundError, tmp_path):
            work(tmp_path)


def test_an_id_that_was_forgotten_is_known_again_by_its_hash_alone(tmp_path: Path) -> None:
    ran(tmp_path)
    forget(tmp_path, "5f03cc")
    store = Participants(tmp_path / "table.sqlite", "pilot")
    assert [store.is_forgotten("links", id) for id in ("5f03cc", "5f01aa")] == [True, False]
    (tombstone,) = store._db.execute("SELECT tombstone FROM tombstones").fetchone()
    store.close()
    assert tombstone not in "\n".join(exported(tmp_path).values())
    (tmp_path / "export.salt").unlink()  # as the operator does when the study is over
    store = Participants(tmp_path / "table.sqlite", "pilot")
    assert not store.is_forgotten("links", "5f03cc")
    store.close()


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pilot").mkdir()
    ran(tmp_path / "pilot")
    with pytest.raises(SystemExit, match="0"):
        main(["study", "export", str(tmp_path / "pilot")])
    said = told(capsys)
    assert f"{tmp_path / 'pilot-export.zip'}: " in said
    assert re.findall(r"\d+", said.partition(".zip: ")[2])[:4] == ["5", "3", "0", "4"]
    with pytest.raises(SystemExit, match="0"):
        main(["study", "forget", str(tmp_path / "pilot"), "5f01aa"])
    said = told(capsys)
    says(said, 1, "1.00")
