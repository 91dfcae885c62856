"""``econzoo analyze FOLDER programs``, on matches that are played for it."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import shutil

import pytest
from blank import make_blank
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.__main__ import main
from econzoo.envs.core import game
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import play_match
from refusals import says

pytestmark = pytest.mark.slow

for library in ("radon", "pandas", "matplotlib"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four matches of three meta-rounds: a cooperator that turns to a clique, against authors at random."""
    why = game("program_matrix").referee.unavailable()
    if why:
        pytest.skip(why)
    made = tmp_path_factory.mktemp("played")
    records = RecordFile(made / "records.jsonl")
    words = "|".join((COOPERATE, CLIQUE, "nothing", "nothing", "nothing", "nothing"))
    for seed in range(3):
        records.append(play_match("program_matrix", [f"mock:{words}", "random"], seed=seed, rounds=3))
    records.append(play_match("program_coin", ["random", "random"], seed=0, rounds=2))
    records.append(play_match("bargaining", ["fair", "fair"], seed=0))
    return made


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(arguments[0]), "programs", "--format", "csv", *map(str, arguments[1:])])
    return (ended.value.code, *capsys.readouterr())


def cells(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


POOL = ["--pool", "defect"]


@pytest.fixture(scope="module")
def told(folder, tmp_path_factory):
    """The folder of the results, and what the command says of them."""
    made, out = tmp_path_factory.mktemp("told"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        make_blank(patch)
        with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out):
            main(["analyze", str(folder / "records.jsonl"), "programs", "--format", "csv", "--out", str(made), *POOL])
    assert ended.value.code == 0
    return made, out.getvalue()


def test_tables_files_and_page(told):
    made, out = told
    assert out.count("in program_matrix") >= 7
    says(out, "program_matrix: 3 matches")
    rows = cells(made / "programs" / "programs.csv")
    assert len(rows) == 3 * 3 * 2 + 2 * 2
    mine = [row for row in rows if row["player"].startswith("mock")]
    assert [row["exploitability"] for row in mine] == ["2.0", "0.0", ""] * 3
    assert [row["unmeasured"] for row in mine] == ["", "", "no program"] * 3
    failures = cells(made / "programs" / "programs_failures.csv")
    counts = {row["kind"]: row["count"] for row in failures if row["player"][:4] == "mock"}
    assert counts["no program"] == "3"
    assert counts["turn: no program"] == "30"
    means = cells(made / "programs" / "programs_means.csv")
    assert {row["round"] for row in means if row["game"] == "program_matrix"} == {"0", "1", "2", "3"}
    assert {row["opponent"] for row in means if row["player"] == "random" and row["game"] == "program_matrix"} == {
        "all",
        mine[0]["player"],
    }
    page = (made / "programs.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 5
    assert "by opponent" not in out + page  # nobody met two opponents
    says(page, "1 match")


@pytest.mark.long
@pytest.mark.usefixtures("blank_figures")
def test_the_same_twice(folder, told, tmp_path, capsys):
    run(capsys, folder / "records.jsonl", "--out", tmp_path, *POOL)
    for file in told[0].rglob("*.*"):
        made = file.read_bytes().replace(str(told[0]).encode(), str(tmp_path).encode())  # the page tells its command
        assert made == (tmp_path / file.relative_to(told[0])).read_bytes()


@pytest.mark.usefixtures("blank_figures")
def test_strategies_are_judged(folder, tmp_path, capsys):
    answers = "|".join(['{"category": "feint", "reason": "So."}'] * 40)
    shutil.copy(folder / "records.jsonl", tmp_path)
    code, out, _ = run(capsys, tmp_path, "--judge", f"mock:{answers}")
    assert code == 0
    assert re.search(r"imit\. +count\. +expl\. +feint +n +unp\. +miss\.", out)
    assert (tmp_path / "judging" / "strategies.jsonl").exists()
    assert (tmp_path / "programs" / "programs_strategies.csv").exists()
    assert "feint" in (tmp_path / "programs.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_first_lines_that_are_no_record_are_told_and_the_others_counted(folder, tmp_path, capsys):
    for count, more in ((5, ""), (7, "not read: and 2 more\n")):
        path = lines(tmp_path / f"{count}.jsonl", (folder / "records.jsonl").read_text() + "{}\n" * count)
        _, out, _ = run(capsys, path, "--out", tmp_path)
        told = "".join(line + "\n" for line in out.splitlines() if line.startswith("not read: "))
        assert told.count(str(path)) == 5
        assert told.endswith(more)
        assert ("more" in told) == bool(more)


def lines(path, text):
    path.write_text(text)
    return path


def folder_of(path):
    path.mkdir()
    return path


def test_what_cannot_be_done_is_said_in_one_line(folder, tmp_path, capsys):
    for number, (make, named) in enumerate(
        [
            (lambda d, t: [t / "none"], ("none",)),
            (lambda d, t: [t], ("*.jsonl",)),
            (lambda d, t: [lines(t / "x.jsonl", "")], ("program_matrix", "program_coin")),
            (lambda d, t: [lines(t / "x.jsonl", "{}\n")], ("x.jsonl", "line 1")),
            (lambda d, t: [lines(t / "x.jsonl", "\xff\n")], ("x.jsonl", "line 1")),
            (lambda d, t: [d, "--pool", "nobody"], ("'nobody'", "all")),
            (lambda d, t: [d, "--pool", ""], ("''", "all")),
            (lambda d, t: [d, "--pool", t / "none.py"], ("none.py", "UTF-8")),
            (lambda d, t: [d, "--pool", folder_of(t / "f.py")], ("f.py", "directory")),
            (lambda d, t: [d, "--seeds", 0], ("seeds=0", 1)),
            (lambda d, t: [d, "--seed", -1], ("seed=-1", 0)),
            (lambda d, t: [d, "--pool", lines(t / "x.py", "def f(:")], ("x.py", "all")),
            (lambda d, t: [d, "--out", lines(t / "file", "")], ("--out", "folder")),
            (
                lambda d, t: [d, "--out", t / "o", "--judge", "human"],
                ("'human'", "hf:PATH_OR_ID"),
            ),
            (lambda d, t: [d, "--out", t / "o", "--judge", "fair"], ("'fair'", "hf:PATH_OR_ID")),
        ],
        1,
    ):
        home = tmp_path / str(number)
        home.mkdir()
        code, _, err = run(capsys, *make(folder, home))
        assert code == 1, err
        assert err.count("\n") == 1, err
        assert err.startswith("econzoo: "), err
        says(err, *named)


def test_only_games_without_programs(tmp_path, capsys):
    RecordFile(tmp_path / "records.jsonl").append(play_match("bargaining", ["fair", "fair"], seed=0))
    code, _, err = run(capsys, tmp_path)
    assert code == 1
    says(err, "econzoo", "program_matrix", "program_coin")


def test_the_judge_is_checked_before_anything_is_written(folder, tmp_path, capsys):
    run(capsys, folder, "--out", tmp_path / "o", "--judge", "human")
    assert not (tmp_path / "o").exists()


@pytest.mark.long
def test_a_pool_of_a_file(folder, tmp_path, capsys):
    file = lines(tmp_path / "mine.py", DEFECT)
    assert run(capsys, folder, "--out", tmp_path / "o", "--pool", file)[0] == 0
    mine = [row for row in cells(tmp_path / "o" / "programs" / "programs.csv") if row["player"].startswith("mock")]
    assert [(row["exploitability"], row["margin"]) for row in mine] == [("2.0", "5.0"), ("0.0", "0.0"), ("", "")] * 3
