"""The commands about GLEE's data as a person runs them."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
from glee_files import bargaining, negotiation, persuasion, with_person

from econzoo.__main__ import main


def run(*arguments, code=0):
    """Standard output and error of a command."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(list(map(str, arguments)))
    assert ended.value.code == code, err.getvalue()
    return out.getvalue() + err.getvalue()


@pytest.fixture
def data(tmp_path):
    """A folder with one game of each family, and one that stops in the middle."""
    root = tmp_path / "Data"
    with_person(bargaining((60, 40, "m" * 800), "accept")).save(root, "00000000000000A1")
    negotiation(9000, "BuyFromJhon").save(root, "N111111111111111")
    persuasion(("high", "yes", "yes"), ("low", "no", "no")).save(root, "P111111111111111")
    bargaining((60, 40), "reject").save(root, "B111111111111111")
    return root


def test_the_way_through(data, tmp_path):
    records, back = tmp_path / "glee.jsonl", tmp_path / "back"
    told = run("import-glee", data, "--out", records)
    assert "B111111111111111: skipped, truncated: the table ends after 2 moves, before the game does" in told
    assert told.endswith("3 imported, 0 already there, 1 skipped (truncated: 1)\n")
    assert json.loads(run("import-glee", data, "--out", records, "--json"))["already"] == 3
    assert "3 matches replayed: every one as recorded" in run("replay", records)
    assert run("export-glee", records, "--out", back) == "3 written, 0 left out\n"
    again = tmp_path / "again.jsonl"
    assert "3 imported" in run("import-glee", back, "--out", again)
    assert sorted(again.read_text().splitlines()) == sorted(records.read_text().splitlines())


def test_metrics(data, tmp_path):
    records, table = tmp_path / "glee.jsonl", tmp_path / "tables" / "metrics.csv"
    run("import-glee", data, "--out", records)
    printed = run("metrics", records)
    assert printed.splitlines()[:2] == [
        "id,family,alice_gain,bob_gain,efficiency,fairness",
        "00000000000000A1,bargaining,0.6,0.4,1.0,0.96",
    ]
    assert f"3 matches are in {table}" in run("metrics", tmp_path, "--csv", table)
    assert table.read_text() == printed
    assert "P111111111111111,persuasion,0.5,0.5,1.0,1.0" in run("metrics", records, "--definition", "glee-code").split()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["import-glee", "nowhere", "--out", "x.jsonl"], 1, "no such folder: nowhere"),
        (["import-glee", ".", "--out", "x.jsonl"], 1, "no games (config.json and game.csv) in ."),
        (["export-glee", "nowhere", "--out", "x"], 1, "no such file or folder: nowhere"),
        (["metrics", "nowhere"], 1, "no such file or folder: nowhere"),
        (["metrics", "nowhere", "--definition", "mine"], 2, "mine"),
        (["import-glee", "."], 2, "--out"),
    ],
)
def test_errors_of_use(tmp_path, monkeypatch, arguments, code, told):
    monkeypatch.chdir(tmp_path)
    assert told in run(*arguments, code=code)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_something_else_is_not_touched(data, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("my notes\n")
    assert "holds something else than records" in run("import-glee", data, "--out", out, code=1)
    assert out.read_text() == "my notes\n"
