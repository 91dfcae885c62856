"""`econzoo judge` as a person runs it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from econzoo.__main__ import main
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.judging import load_rubric
from refusals import refuses, says

pytestmark = pytest.mark.slow

FOUR, TWO = (f'mock:{{"score": {score}, "reason": "It played so."}}' for score in (4, 2))
DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "analysis.md").read_text(encoding="utf-8").partition("\n## Judging\n")[2]
OFF = 'mock:{"score": 6, "reason": "Beyond all measure."}'


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def run(*arguments, code=0):
    """Standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(["judge", *map(str, arguments)])
    assert ended.value.code == code, err.getvalue()
    return out.getvalue(), err.getvalue()


def test_the_way_through(file, tmp_path):
    told, _ = run(file, "--rubric", "alympics", "--judge", FOUR, "--judge", TWO, "--limit", 6)
    says(told, "alympics", "6 players", "2 judges")
    assert "nan" not in told.casefold()
    assert max(map(len, told.partition("Page: ")[0].splitlines())) <= 80
    out = tmp_path / "judging" / "judgements.jsonl"
    assert len(out.read_text().splitlines()) == 12
    with (tmp_path / "judging" / "judgements.report" / "scores.csv").open() as table:
        rows = {(row["by"], row["who"], row["dimension"]): row for row in csv.DictReader(table)}
    overall = rows["all", "", "adaptability"]
    assert (overall["n"], overall["mean"], overall["alpha_items"]) == ("12", "3.0", "6")
    assert rows["judge", FOUR, "adaptability"]["mean"] == "4.0"
    again, note = run(file, "--judge", FOUR, "--judge", TWO, "--limit", 6)
    assert again == told
    says(note, "12 of 12")
    assert run("--report", out)[0] == told


def test_the_analysis_reads_what_was_judged(file, tmp_path):
    with refuses(FileNotFoundError, tmp_path / "judging" / "judgements.jsonl"):
        analyze(tmp_path, "judgements")
    told, _ = run(file, "--judge", FOUR, "--judge", TWO, "--json")
    page = analyze(tmp_path, "judgements")
    assert page.to_dict() == json.loads(told)
    assert "logical_reasoning" in {row["dimension"] for row in page.to_dict()["scores"]}
    with pytest.raises(FileNotFoundError, match="judgements-reasoning"):
        analyze(tmp_path, "judgements", reasoning=True)


def test_agreement_that_is_not_defined_is_told_with_the_reason(file):
    told, _ = run(file, "--judge", FOUR, "--limit", 2)
    assert "two judges" in " ".join(told.split())
    told, _ = run(file, "--judge", FOUR, "--judge", FOUR.replace("It", "She"), "--limit", 2)
    says(" ".join(told.split()), "are equal", "expected disagreement")
    assert "nan" not in told.casefold()


def test_without_the_library_of_alpha_judgements_are_kept_and_all_else_is_reported(file, monkeypatch):
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "krippendorff", None)
        told, _ = run(file, "--judge", FOUR, "--judge", TWO)
    says(told, "8 players", "2 judges", "krippendorff", "'econzoo[judge]'")
    again, _ = run("--report", file.parent / "judging" / "judgements.jsonl")
    assert "alpha" in again
    assert "krippendorff" not in again


def test_the_report_is_about_the_players_of_the_command(file):
    run(file, "--judge", FOUR, "--seats", "Alice")
    told, _ = run(file, "--judge", TWO, "--seats", "Bob")
    says(told, "4 players", "1 judge")
    told, _ = run("--report", file.parent / "judging" / "judgements.jsonl")
    says(told, "8 players", "2 judges")


def test_who_is_still_judging_reads_no_report(file, monkeypatch):
    run(file, "--judge", FOUR, "--limit", 2)
    monkeypatch.setattr(sys, "stdin", io.StringIO("5\n\n" * 5))
    told, _ = run(file, "--judge", "human", "--limit", 2)
    says(told, "1 of 2", "econzoo judge --report")
    assert "adaptability" not in told
    monkeypatch.setattr(sys, "stdin", io.StringIO("5\n\n" * 5))
    says(run(file, "--judge", "human", "--limit", 2)[0], "2 players", "2 judges")


def test_a_folder_of_records_stays_one(file, tmp_path):
    """Judgements lie where no other command takes them for records."""
    from econzoo.evaluate.run import read_folder

    run(tmp_path, "--judge", FOUR)
    assert read_folder(tmp_path)[1] == []


def test_scores_off_the_scale_are_missing(file):
    told, _ = run(file, "--judge", OFF, "--limit", 2, "--json")
    rows = json.loads(told)["scores"]
    assert {(row["n"], row["mean"]) for row in rows} == {(0, None)}
    told, _ = run(file, "--judge", OFF, "--limit", 2)
    says(told, "10 questions")


def test_a_person_and_a_model_agree_or_not(file, monkeypatch, tmp_path):
    typed = "\n".join(["5", "", "4", "", "3", "", "2", "", "1", "bad"] * 2) + "\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    told, _ = run(
        file, "--judge", "human", "--judge", FOUR, "--seats", "Bob", "--limit", 2, "--out", tmp_path / "j.jsonl"
    )
    says(told, "1 of 2: Bob", "2 players", "2 judges")
    assert (tmp_path / "j.report.html").exists()
    assert (tmp_path / "j.report" / "scores.csv").exists()


def test_a_study_of_ones_own(tmp_path):
    sheet = tmp_path / "sheets.csv"
    lines = ["item,judge,dimension,score", "1,ann,IU,4", "1,ben,IU,4", "2,ann,IU,2", "2,ben,IU,2", "1,ann,LR,6"]
    sheet.write_text("\n".join(lines) + "\n")
    _, told = run("--ratings", sheet, code=1)
    assert told.count("\n") == 1
    says(told, "row 6", "column score", "ann on 1, LR", "'6'")
    told, left_out = run("--ratings", sheet, "--drop-off-scale", "--json")
    says(left_out, "row 6")
    found = json.loads(told)
    assert {one["dimension"]: one["interval"] for one in found["agreement"]}["information_utilisation"] == 1.0
    assert found["scores"][0]["mean"] == 3.0


def test_what_does_not_replay_is_left_out_and_told(file):
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0].replace('"payoffs":[', '"payoffs":[7'), *lines[1:]]) + "\n")
    told, note = run(file, "--judge", FOUR, code=1)
    assert "6 players judged" in told
    assert note.count("left out: ") == 2


def test_what_cannot_be_done_is_one_line(file):
    for arguments, named in [
        ([], ("FILE", "--judge SPEC", "--report FILE")),
        (["{file}", "--judge", FOUR, "--report", "{file}"], ("--report", "{file}")),
        (["{file}"], ("{file}", "judge", "--judge SPEC")),
        (["--judge", FOUR], ("--judge", "--report")),
        (["{file}", "--judge", "fair"], ("'fair'", "hf:PATH_OR_ID")),
        (["{file}", "--judge", "human(3)"], ("'human(3)'", "human")),
        (["{file}", "--judge", FOUR, "--judge", FOUR], ("It", "duplicate")),
        (["{file}", "--judge", FOUR, "--seats", "Carol"], ("--seats", "'Carol'", "Alice, Bob")),
        (["{file}", "--judge", FOUR, "--rubric", "nobody"], ("'nobody'", "alympics")),
        (["{file}", "--judge", FOUR, "--out", "{file}"], ("{file}", "line 1")),
        (["{file}.none", "--judge", FOUR], ("{file}.none",)),
        (["--report", "{file}"], ("{file}", "line 1")),
        (["--report", "{file}.none"], ("{file}.none",)),
        (["--ratings", "{file}"], ("item, judge, dimension, score",)),
    ]:
        _, told = run(*(a.replace("{file}", str(file)) for a in arguments), code=1)
        says(told, "econzoo", *(str(one).replace("{file}", str(file)) for one in named))
        assert told.count("\n") == 1, arguments


def test_the_example_of_the_page(tmp_path, monkeypatch, capsys):
    code = re.search(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code[1], "analysis.md", "exec"), {"__name__": "page"})
    told = capsys.readouterr().out
    means = {line.split()[0]: float(line.split()[3]) for line in told.splitlines() if " adaptability " in line}
    assert means["mild"] == means["strict"] + 1
    assert "items=8, judges=2, ratings=16" in told


def test_the_tables_of_the_page_are_read_as_it_says(tmp_path):
    rubric, sheets = tmp_path / "own.toml", tmp_path / "sheets.csv"
    own, published = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    rubric.write_text(published)
    assert load_rubric(str(rubric)).dimensions[0].scale[0] == "1: Very poor."
    rubric.write_text(own)
    sheets.write_text(re.search(r"^```csv\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)[1])
    found = json.loads(run("--ratings", sheets, "--json")[0])
    assert found["scores"][0]["mean"] == 3.75
    _, told = run("--ratings", sheets, "--rubric", rubric, code=1)
    says(told, "'IU'", "courage")
