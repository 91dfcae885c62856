"""The commands about GLEE's data as a person runs them."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
from glee_files import bargaining, negotiation, persuasion, with_person

from econzoo.__main__ import main
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.run import play_match
from refusals import refuses, says


def run(*arguments, code=0):
    """Standard output and error of a command."""
    return "".join(told_apart(*arguments, code=code))


def told_apart(*arguments, code=0):
    """Standard output, and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(list(map(str, arguments)))
    assert ended.value.code == code, err.getvalue()
    return out.getvalue(), err.getvalue()


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
    told = run("convert", data, records)
    says(told, "B111111111111111", "truncated", "2 moves")
    says(told.splitlines()[-1], "3 imported", 0, "1 skipped", "truncated: 1")
    assert json.loads(run("convert", data, records, "--json"))["known"] == 3
    says(run("replay", records), "3 matches")
    says(run("convert", records, back, "--to", "glee"), "3 written", 0)
    again = tmp_path / "again.jsonl"
    says(run("convert", back, again), "3 imported")
    assert sorted(again.read_text().splitlines()) == sorted(records.read_text().splitlines())


def metrics(records, out, **options):
    """The table of the analysis, and what is told beside it."""
    page = analyze(records, "glee-metrics", **options)
    page.write(out, ("csv",))
    return (out / "glee-metrics" / "metrics.csv").read_text(), page.problems


def test_metrics(data, tmp_path):
    records = tmp_path / "glee.jsonl"
    run("convert", data, records)
    table, _ = metrics(records, tmp_path)
    assert table.splitlines()[:2] == [
        "id,family,alice_gain,bob_gain,efficiency,fairness",
        "00000000000000A1,bargaining,0.6,0.4,1.0,0.96",
    ]
    assert "Page: " in run("analyze", tmp_path, "glee-metrics", "--out", tmp_path / "again")
    assert (tmp_path / "again" / "glee-metrics" / "metrics.csv").read_text() == table
    coded, _ = metrics(records, tmp_path, definition="glee-code")
    assert "P111111111111111,persuasion,0.5,0.5,1.0,1.0" in coded.split()
    with refuses(ValueError, "definition='mine'", "'paper'", "'glee-code'"):
        analyze(records, "glee-metrics", definition="mine")


@pytest.fixture
def lines():
    """The records of two matches, as lines."""
    return [play_match("bargaining", ["fair", "fair"], seed, money=100).to_json() for seed in (1, 2)]


def test_metrics_leave_out_what_does_not_replay(lines, tmp_path):
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join([lines[0].replace('"money":100', '"money":10'), lines[1], lines[0][:50]]))
    table, (first, second, last) = metrics(file, tmp_path)
    assert [row.split(",")[0] for row in table.splitlines()] == ["id", json.loads(lines[1])["id"]]
    says(first, file, "line 1", json.loads(lines[0])["id"])
    says(second, file, "line 3", "JSON")
    says(last, 2)


def test_metrics_write_each_id_once(lines, tmp_path):
    file, again = tmp_path / "records.jsonl", lines[0].replace('"seconds":', '"seconds":1')
    file.write_text("\n".join([lines[0], lines[1], again, lines[0]]))
    table, told = metrics(file, tmp_path)
    assert len(table.splitlines()) == 3
    (said,) = told
    says(said, 2, "all")


def test_metrics_say_if_repeats_differ(tmp_path):
    for delta, name in ((0.8, "one"), (0.5, "two")):  # two games under one id of GLEE
        bargaining((60, 40), "accept", deltas=(0.9, delta)).save(tmp_path / name)
        run("convert", tmp_path / name, tmp_path / f"records-{name}.jsonl")
    both = tmp_path / "both.jsonl"
    both.write_text("".join((tmp_path / f"records-{name}.jsonl").read_text() for name in ("one", "two")))
    table, told = metrics(both, tmp_path)
    assert len(table.splitlines()) == 2
    (said,) = told
    says(said, "1 duplicate", "1 conflicting")


NOTHING = [
    (b"", ()),
    (b"[1, 2]\n", ("JSON object",)),
    (b"\x89\xff\n", ("UTF-8",)),
    (b"{", ("JSON",)),
]


def test_files_without_any_record(tmp_path, monkeypatch):
    for content, named in NOTHING:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "nothing.jsonl").write_bytes(content)
        out, told = told_apart("convert", "nothing.jsonl", "there", "--to", "glee", code=1)
        assert out == "", content
        says(told, "econzoo", "nothing.jsonl", *named)
        assert told.count("\n") == 1, content
        assert not (tmp_path / "there").exists(), content


def test_export_counts_lines_that_are_no_records(lines, tmp_path):
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join([lines[0], lines[1][:99]]))
    out, told = told_apart("convert", file, tmp_path / "back", "--to", "glee", code=1)
    says(out, "1 written", "1 left out", "unreadable: 1")
    says(told, file, "line 2", "JSON")


def test_files_and_folders_taken_for_each_other(data, lines, tmp_path):
    file, folder = tmp_path / "records.jsonl", tmp_path / "folder"
    file.write_text(lines[0])
    folder.mkdir()
    says(run("convert", data, folder, code=1), "econzoo", folder, "file")
    says(run("convert", data, file / "x.jsonl", code=1), "econzoo", file, "folder")
    says(run("convert", file, file, "--to", "glee", code=1), "econzoo", file, "folder")
    assert file.read_text() == lines[0]


def test_formats_are_known_by_what_is_in_a_folder(data, lines, tmp_path):
    (data / "records.jsonl").write_text(lines[0])
    told = run("convert", data, tmp_path / "out", code=1)
    says(told, "glee", "records", "--from", "glee, alympics, records, sheets, lora")
    assert "3 imported" in run("convert", data, tmp_path / "out.jsonl")  # the ending says that it is no table


def test_incomplete_folders_are_listed(data, tmp_path):
    for name, missing in (("0A", "game.csv"), ("0B", "config.json")):
        (bargaining((60, 40), "accept").save(data, name) / missing).unlink()
    told = run("convert", data, tmp_path / "glee.jsonl")
    first, second = (next(line for line in told.splitlines() if name in line) for name in ("0A", "0B"))
    says(first, "incomplete", "missing game.csv")
    says(second, "incomplete", "missing config.json")
    says(told.splitlines()[-1], "3 imported", 0, "3 skipped", "incomplete: 2", "truncated: 1")


def test_errors_of_use(tmp_path, monkeypatch):
    for arguments, code, named in [
        (["convert", "nowhere", "x.jsonl", "--from", "glee"], 1, ("nowhere",)),
        (["convert", ".", "x.jsonl", "--from", "glee"], 1, ("config.json", "game.csv")),
        (["convert", "nowhere", "x", "--to", "glee"], 1, ("nowhere",)),
        (["analyze", "nowhere", "glee-metrics"], 1, ("nowhere",)),
        (["convert", "."], 2, ("OUT",)),
        (["convert", "nowhere", "x"], 1, ("nowhere",)),
        (["convert", ".", "x"], 1, ("glee", "alympics", "records", "lora", "--from")),
        (["convert", ".", "x", "--from", "records"], 1, ("--to", "records", "glee, csv, parquet, stata")),
        (["convert", ".", "x", "--from", "glee", "--to", "csv"], 1, ("--from glee", "--to csv")),
        (["convert", ".", "x", "--to", "csv", "--deep"], 1, ("'deep'", "to, texts")),
    ]:
        monkeypatch.chdir(tmp_path)
        says(run(*arguments, code=code), *named)
        assert list(tmp_path.iterdir()) == [], arguments


def test_nothing_but_broken_games_is_a_failure(tmp_path):
    bargaining((60, 40), "reject").save(tmp_path, "B111111111111111")
    told = run("convert", tmp_path, tmp_path / "glee.jsonl", code=1)
    says(told.splitlines()[-1], "0 imported", "1 skipped", "truncated: 1")


def test_a_file_of_something_else_is_not_touched(data, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("my notes\n")
    says(run("convert", data, out, code=1), out, "records")
    assert out.read_text() == "my notes\n"
