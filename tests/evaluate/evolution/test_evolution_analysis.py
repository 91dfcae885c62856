"""The analysis ``evolution`` as its users see it: files, tables, pages, and what it says to bad input."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from evolution.games import reciprocity, rock_paper_scissors
from test_report import Page as Reader

import econzoo
from econzoo.__main__ import main
from econzoo.evaluate.analyses.dilemmas import round_robin
from econzoo.evaluate.analyses.evolution import StudyOptions, evolution_study, figures, payoff_matrix, payoff_table
from econzoo.evaluate.analyses.evolution import replicator, rest_table, type_table
from econzoo.evaluate.analyses.evolution.matches import read_matrix
from econzoo.evaluate.analyses.evolution.matrix_files import read_matrix_file, write_matrix_file
from econzoo.evaluate.analyses.evolution.page import sections
from econzoo.evaluate.analyses.evolution.tables import basin_table
from econzoo.evaluate.run import Setting, new_design, read_records, run
from econzoo.evaluate.show import Page, write_value
from refusals import says

pytestmark = pytest.mark.slow

EVIL = "mock('</td><script>alert(1)</script> \u202edlrow')"
QUICK = StudyOptions(runs=5, starts=20, resamples=20, population=10, generations=20)
FEW = ["--runs", "5", "--starts", "20", "--resamples", "20", "--population", "10", "--generations", "20"]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Orbits that do not settle are followed less long."""
    monkeypatch.setattr(replicator, "MAX_WORK", 0)


def evolve(place, *options):
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(place), "evolution", *map(str, options)])
    return ended.value.code


def texts(table):
    """The cells of a table as a terminal shows them."""
    return [[write_value(column, cell) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]


def quick_study(mean, error=None, types=None, **asked):
    names = types or [f"type {at + 1}" for at in range(len(mean))]
    return evolution_study(payoff_matrix.matrix_from_payoffs(names, mean, error), QUICK._replace(**asked))


@pytest.fixture
def square(tmp_path):
    return write_matrix_file(
        payoff_matrix.matrix_from_payoffs(["tft", "allc", "alld"], reciprocity(10)), tmp_path / "square.csv"
    )


# What it writes


@pytest.mark.usefixtures("blank_figures")
def test_a_matrix_file_becomes_tables_figures_and_a_page(square, tmp_path, capsys):
    out = tmp_path / "out"
    assert evolve(square, "--out", out, "--start", "2,1,1", *FEW) == 0
    told = capsys.readouterr().out
    assert "alld" in told
    assert "tft, allc" in told
    assert {path.name for path in out.iterdir()} == {"evolution.html", "evolution"}
    out = out / "evolution"
    names = {path.name for path in out.iterdir()}
    numbers = ("payoffs", "types", "rest_points", "basins", "fixation", "replicator", "ecosystem", "moran")
    shown = ("payoffs", "types", "rest_points", "basins")
    drawn = ("payoffs", "simplex", "replicator", "ecosystem", "moran", "fixation")
    assert names == {
        "tables.json",
        *(f"{name}.csv" for name in numbers),
        *(f"table_{name}.tex" for name in shown),
        *(f"{name}.{form}" for name in drawn for form in ("pdf", "svg", "png")),
    }
    rows = list(csv.DictReader((out / "replicator.csv").open()))
    assert [float(rows[0][name]) for name in ("tft", "allc", "alld")] == [0.5, 0.25, 0.25]
    kinds = [(row["support"], row["kind"]) for row in csv.DictReader((out / "rest_points.csv").open())]
    assert kinds == [
        *[("alld", "stable"), ("tft", "undecided"), ("tft + alld", "saddle"), ("allc", "unstable")],
        ("tft + allc", "continuum"),
    ]
    assert read_matrix_file(out / "payoffs.csv").mean.tolist() == reciprocity(10).tolist()


@pytest.mark.long
def test_the_same_seed_gives_the_same_files(square, tmp_path):
    for name in "ab":
        assert evolve(square, "--out", tmp_path / name / "x", *FEW) == 0
    for path in (tmp_path / "a").rglob("*.*"):
        if path.is_file():
            other = (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
            told = path.read_bytes().replace(f"{tmp_path}/a".encode(), f"{tmp_path}/b".encode())  # by its command
            assert told == other, path.name


@pytest.mark.long
def test_payoffs_are_drawn_anew_for_the_ecosystem_alone_and_only_if_asked(tmp_path):
    matrix = payoff_matrix.matrix_from_payoffs(["a", "b"], np.array([[3.0, 1.0], [2.0, 2.0]]), np.full((2, 2), 0.1))
    unsure = write_matrix_file(replace(matrix, clusters=np.full((2, 2), 4)), tmp_path / "unsure.csv")
    for name, more in (("a", []), ("b", ["--redraw"])):
        assert evolve(unsure, "--out", tmp_path / name, *FEW, *more) == 0
    given = {name: {path.name: path.read_text() for path in tmp_path.glob(f"{name}/evolution/*.csv")} for name in "ab"}
    same = {name: text == given["b"][name] for name, text in given["a"].items()}
    assert [name for name, alike in same.items() if not alike] == ["ecosystem.csv"]


@pytest.mark.usefixtures("blank_figures")
def test_json(square, tmp_path, capsys):
    assert evolve(square, "--out", tmp_path / "out", "--json", *FEW) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["type"] for one in found["types"]] == ["tft", "allc", "alld"]
    kinds = ["stable", "undecided", "saddle", "unstable", "continuum"]
    assert [one["kind"] for one in found["rest_points"]] == kinds
    assert sum(one["rare_mutations"] for one in found["types"]) == pytest.approx(1.0)
    assert [one["strict"] for one in found["types"]] == [False, False, True]


@pytest.mark.usefixtures("blank_figures")
def test_players_meet_and_the_records_say_the_same(tmp_path, capsys):
    """Bargaining, whose seats differ: both orders are played."""
    out, names = tmp_path / "out", ["fair", "boulware(0.2)", "greedy"]
    run(new_design("bargaining", names, [Setting("short", {"horizon": 6})], range(2)), out, jobs=1)
    assert evolve(out, *FEW) == 0
    assert evolve(out, "--players", "greedy", "--players", "fair", "--out", tmp_path / "some", *FEW) == 0
    one, other, some = (
        read_matrix_file(out / "evolution" / "payoffs.csv"),
        read_matrix(read_records(out)),
        read_matrix_file(tmp_path / "some" / "evolution" / "payoffs.csv"),
    )
    assert one.types == ("fair", "boulware(0.2)", "greedy")
    assert np.array_equal(one.select_types(other.types).mean, other.mean)
    assert np.array_equal(one.select_types(["greedy", "fair"]).mean, some.mean)
    capsys.readouterr()


def test_classic_strategies_play_the_same_with_and_without_the_environment(tmp_path):
    players = ["tit-for-tat", "defector", "cooperator", "grudger"]
    run(new_design("matrix", players, [Setting("short", {"rounds": 12})], range(2)), tmp_path, jobs=1)
    quick = payoff_matrix.matrix_from_round_robin(round_robin(players, 12, 4))
    slow = read_matrix(read_records(tmp_path))
    assert quick.types == slow.types
    assert quick.mean == pytest.approx(slow.mean)
    assert not quick.error.any()
    assert not slow.error.any()
    assert slow.mean[0].tolist() == pytest.approx([3.0, 11 / 12, 3.0, 3.0])


# How it tells


def test_verdicts_carry_their_certainty_only_where_there_is_doubt():
    sure, unsure = (type_table(quick_study(reciprocity(10), error)) for error in (None, np.full((3, 3), 0.03)))
    assert [row[1:4] for row in texts(sure)] == [["yes", "no", "no"], ["no"] * 3, ["yes"] * 3]
    assert texts(unsure)[2][1:4] == ["yes*"] * 3
    assert texts(unsure)[1][1:4] == ["no*"] * 3
    assert texts(unsure)[0][1] == "yes"  # its tie with the second type is no longer sure
    assert "*" not in sure.note
    assert "95% intervals" in unsure.note


def test_failed_matches_and_unknown_errors_are_told():
    n = np.array([[3, 5], [5, 2]])
    error = np.array([[np.nan, 0.1], [0.1, 0.1]])
    counts = {
        "matches": n,
        "clusters": n,
        "failed": np.array([[0, 4], [4, 1]]),
        **dict.fromkeys(["defaults", "failed_rounds"], np.zeros((2, 2), int)),
    }
    found = evolution_study(payoff_matrix.PayoffMatrix(("a", "b"), np.eye(2), error, **counts), QUICK)
    told = payoff_table(found)
    says(told.note, "5 matches", "a with b: 4", "2 to 5")
    assert texts(told)[0] == ["1 a", "1.000 (?)", "0.000 (?)"]


def test_cycles_and_many_types_are_told():
    assert texts(basin_table(quick_study(rock_paper_scissors(1))))[0] == ["does not settle", "100%"]
    many = quick_study(np.random.default_rng(1).normal(size=(14, 14)), population=20)
    says(rest_table(many).note, "5 types")
    says(payoff_table(many).note, "13 to 14", "payoffs.csv")
    assert len(payoff_table(many).rows) == 14


@pytest.mark.long
@pytest.mark.parametrize(("types", "names"), [(2, {"line"}), (3, {"simplex"}), (4, set()), (25, set())])
def test_figures_by_number_of_types(types, names):
    made = figures(quick_study(np.random.default_rng(0).normal(size=(types, types)), population=30))
    always = {"payoffs", "replicator", "ecosystem", "moran", "fixation"}
    assert made.keys() == always | names


def test_curves_of_many_types_draw_the_rest_together():
    made = figures(quick_study(np.random.default_rng(0).normal(size=(25, 25)), population=30))
    (legend,) = made["replicator"].figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "16 others"


def test_the_page_is_whole_and_names_do_no_harm():
    found = quick_study(reciprocity(5), types=[EVIL, "b", "c"])
    text = Page("evolution", EVIL, list(sections(found))).to_html()
    assert "<script" not in text
    assert "\u202e" not in text
    assert "".join(Reader(text).text).count("<script>alert(1)</script>") > 3
    assert text.count("<svg") == 6


# Bad input


BAD = {
    "too many seats": ("{town}", [], ("water_allocation", 5, "two")),
    "one-seat player": ("{seats}", [], ("'honest' against 'honest'",)),
    "one player": ("{records}", ["--players", "fair"], ("1 types", 2, 100)),
    "start of another size": ("{square}", ["--start", "1,1"], ("start", 2, 3)),
    "start in words": ("{square}", ["--start", "half,half"], ("start", "half,half", "numbers")),
    "negative start": ("{square}", ["--start", "1,1,-1"], ("[1.0, 1.0, -1.0]", 0)),
    "no generations": ("{square}", ["--generations", "0"], ("generations=0", 1)),
    "small population": ("{square}", ["--population", "1"], ("population=1", 2)),
    "fewer than types": ("{square}", ["--population", "2"], ("population=2", 3)),
    "no runs": ("{square}", ["--runs", "0"], ("runs=0", 1)),
    "no starts": ("{square}", ["--starts", "0"], ("starts=0", 1)),
    "resamples": ("{square}", ["--resamples", "-1"], ("resamples=-1", 0)),
    "time": ("{square}", ["--time", "0"], ("time=0.0", 0)),
    "fitness": ("{square}", ["--fitness", "square"], ("square", "linear", "exponential")),
    "intensity": ("{square}", ["--fitness", "linear", "--intensity", "2"], ("intensity=2", 0, 1)),
    "negative intensity": ("{square}", ["--intensity", "-1"], ("intensity=-1.0", 0)),
    "no such file": ("{out}.csv", [], ("{out}.csv",)),
    "no such records": ("{out}", [], ("{out}",)),
    "no records in it": ("{empty}", [], ("{empty}", "*.jsonl")),
    "no record in the file": ("{text}", [], ("{text}", "line 1")),
    "another game's records": ("{records}", ["--game", "persuasion"], ("persuasion",)),
    "records of two games": ("{here}", [], ("--game", "bargaining", "persuasion")),
    "unknown type": ("{records}", ["--players", "fair", "--players", "nobody"], ("'nobody'",)),
    "out is a file": ("{square}", ["--out", "{square}"], ("--out", "{square}")),
}


def test_bad_input_is_told_in_one_line_and_leaves_nothing_behind(square, tmp_path, small_folder, capsys):
    for folder, game, players in (
        ("town", "water_allocation", ["random"] * 5),
        ("here/seats", "persuasion", ["honest", "trust"]),
        ("here/more", "bargaining", ["fair", "fair"]),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "records.jsonl").write_text(econzoo.play(game, players, seed=0).to_json() + "\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.jsonl").write_text("text\n")
    places = {
        **{"square": square, "out": tmp_path / "out", "records": small_folder, "text": tmp_path / "text.jsonl"},
        **{"town": tmp_path / "town", "here": tmp_path / "here", "seats": tmp_path / "here/seats"},
        "empty": tmp_path / "empty",
    }
    before = sorted(tmp_path.rglob("*"))
    for name, (place, given, named) in BAD.items():
        out = [] if "--out" in given else ["--out", tmp_path / "out"]
        assert evolve(place.format(**places), *(part.format(**places) for part in given), *out) == 1, name
        told = capsys.readouterr().err
        says(told, "econzoo", *(str(one).format(**places) for one in named))
        assert told.strip().count("\n") == 0, name
        assert sorted(tmp_path.rglob("*")) == before, name


FILES = {
    "empty": ("", ()),
    "only heads": ("type,opponent,payoff\n", ("0 types", 2, 100)),
    "one type": ("type,opponent,payoff\na,a,1\n", ("1 types", 2, 100)),
    "a pair is missing": ("type,opponent,payoff\na,a,1\na,b,1\nb,b,1\n", ("'b' against 'a'",)),
    "a pair twice": ("type,opponent,payoff\na,a,1\na,b,1\na,a,2\n", ("line 4", "'a', 'a'")),
    "words": ("type,opponent,payoff\na,a,much\n", ("line 2", "payoff 'much'", "number")),
    "infinite": ("type,opponent,payoff\na,a,inf\n", ("line 2", "payoff 'inf'")),
    "as large as numbers go": (",a,b\na,1,1e308\nb,-1e308,4\n", ("line 2", "payoff '1e308'", "1e+09")),
    "above the range": (",a,b\na,1,1000000001\nb,1,4\n", ("line 2", "'1000000001'", "-1e+09", "1e+09")),
    "as small as numbers go": (",a,b\na,0,5e-324\nb,0,0\n", ("line 2", "payoff '5e-324'", 0)),
    "large error": ("type,opponent,payoff,error\na,a,1,1e308\n", ("line 2", "error '1e308'", 0, "1e+09")),
    "too many matches": ("type,opponent,payoff,matches\na,a,1,1e300\n", ("line 2", "matches '1e300'", "integer")),
    "semicolons": (";a;b\na;1;2\nb;3;4\n", ("line 1", "';a;b'", "type,opponent,payoff")),
    "pairs with semicolons": ("type;opponent;payoff\na;a;1,5\n", ("line 1", "type,opponent,payoff", "commas")),
    "negative error": ("type,opponent,payoff,error\na,a,1,-1\n", ("line 2", "error '-1'", 0)),
    "half a match": ("type,opponent,payoff,matches\na,a,1,1.5\n", ("line 2", "matches '1.5'", "integer")),
    "unknown column": ("type,opponent,payoff,luck\na,a,1,1\n", ("line 1", "'luck'")),
    "column twice": ("type,opponent,payoff,error,error\na,a,1,1,1\n", ("line 1", "'error'")),
    "a cell too many": ("type,opponent,payoff\na,a,1,1\n", ("line 2", 4, 3)),
    "not square": (",a,b\na,1,2\n", (2, 1)),
    "rows in another order": (",a,b\nb,1,2\na,1,2\n", ("line 2", "'b'", "'a'")),
    "a short row": (",a,b\na,1\nb,1,2\n", ("line 2", 1, 2)),
    "a hole": (",a,b\na,1,\nb,1,2\n", ("line 2", "payoff ''")),
    "a name twice": (",a,a\na,1,2\na,1,2\n", ("'a'",)),
    "no name": (",a,\na,1,2\n,1,2\n", ("type 2",)),
    "no CSV": ('\x00\x01,b\n"a', ("CSV",)),
    "negative with linear": (",a,b\na,-1,2\nb,1,2\n", ("fitness", -1)),
}


def test_files_that_are_no_matrix(tmp_path, capsys):
    path = tmp_path / "given.csv"
    for name, (text, named) in FILES.items():
        path.write_text(text)
        assert evolve(path, "--out", tmp_path / "out", "--fitness", "linear") == 1, name
        told = capsys.readouterr().err
        says(told, *named)
        assert len(told.strip().splitlines()) == 1, name
        assert not (tmp_path / "out").exists(), name
