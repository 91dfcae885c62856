"""``econzoo evolve`` as its users see it: files, tables, pages, and what it says to bad input."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from evolution.games import reciprocity, rock_paper_scissors
from test_report import Page

from econzoo.__main__ import main
from econzoo.evaluate.analyses.evolution import payoff_matrix
from econzoo.evaluate.analyses.evolution.figures import drawn
from econzoo.evaluate.analyses.evolution.matches import read_matrix
from econzoo.evaluate.analyses.evolution.matrix_files import read, write
from econzoo.evaluate.analyses.evolution.page import page
from econzoo.evaluate.analyses.evolution.playing import matrix_plan, parse_players, played_matrix, quick_matrix
from econzoo.evaluate.analyses.evolution.study import Settings, study
from econzoo.evaluate.analyses.evolution.tables import basin_table, rest_table, tables, type_table
from econzoo.evaluate.run.tournament import run

EVIL = "mock('</td><script>alert(1)</script> \u202edlrow')"
QUICK = Settings(runs=5, starts=20, resamples=20, population=10, generations=20)
FEW = ["--runs", "5", "--starts", "20", "--resamples", "20", "--population", "10", "--generations", "20"]


def evolve(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["evolve", *map(str, arguments)])
    return ended.value.code


def quick_study(mean, error=None, types=None, **asked):
    names = types or [f"type {at + 1}" for at in range(len(mean))]
    return study(payoff_matrix.given(names, mean, error), QUICK._replace(**asked))


@pytest.fixture
def square(tmp_path):
    return write(payoff_matrix.given(["tft", "allc", "alld"], reciprocity(10)), tmp_path / "square.csv")


# What it writes


def test_a_matrix_file_becomes_tables_figures_and_a_page(square, tmp_path, capsys):
    out = tmp_path / "out"
    assert evolve("--matrix", square, "--out", out, "--start", "2,1,1", *FEW) == 0
    told = capsys.readouterr().out
    assert "all alld" in told
    assert "mixtures of tft, allc" in told
    names = {path.name for path in out.iterdir()}
    numbers = ("payoffs", "types", "rest_points", "basins", "fixation", "replicator", "ecosystem", "moran")
    assert names == {"evolution.html", "figures", *(f"{name}.csv" for name in numbers)}
    figures = ("payoffs", "simplex", "replicator", "ecosystem", "moran", "fixation")
    drawn_names = {path.name for path in (out / "figures").iterdir()}
    assert drawn_names == {f"{name}.{form}" for name in figures for form in ("pdf", "svg", "png")}
    rows = list(csv.DictReader((out / "replicator.csv").open()))
    assert [float(rows[0][name]) for name in ("tft", "allc", "alld")] == [0.5, 0.25, 0.25]
    kinds = [(row["support"], row["kind"]) for row in csv.DictReader((out / "rest_points.csv").open())]
    assert kinds == [
        *[("alld", "stable"), ("tft", "undecided"), ("tft + alld", "saddle"), ("allc", "unstable")],
        ("tft + allc", "continuum"),
    ]
    assert read(out / "payoffs.csv").mean.tolist() == reciprocity(10).tolist()


@pytest.mark.long
def test_the_same_seed_gives_the_same_files(square, tmp_path):
    for name in "ab":
        assert evolve("--matrix", square, "--out", tmp_path / name / "x", *FEW) == 0
    for path in (tmp_path / "a").rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes(), path.name


@pytest.mark.long
def test_payoffs_are_drawn_anew_for_the_ecosystem_alone_and_only_if_asked(tmp_path):
    given = payoff_matrix.given(["a", "b"], np.array([[3.0, 1.0], [2.0, 2.0]]), np.full((2, 2), 0.1))
    unsure = write(replace(given, clusters=np.full((2, 2), 4)), tmp_path / "unsure.csv")
    for name, more in (("a", []), ("b", ["--redraw"])):
        assert evolve("--matrix", unsure, "--out", tmp_path / name, *FEW, *more) == 0
    same = {
        path.name: path.read_text() == (tmp_path / "b" / path.name).read_text() for path in tmp_path.glob("a/*.csv")
    }
    assert [name for name, alike in same.items() if not alike] == ["ecosystem.csv"]


@pytest.mark.usefixtures("blank_figures")
def test_json(square, tmp_path, capsys):
    assert evolve("--matrix", square, "--out", tmp_path / "out", "--json", *FEW) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["types"] == ["tft", "allc", "alld"]
    assert [one["kind"] for one in found["rest_points"]] == ["stable", "undecided", "saddle", "unstable"]
    assert sum(found["rare_mutations"]) == pytest.approx(1.0)
    assert [one["strict"] for one in found["verdicts"]] == [False, False, True]


@pytest.mark.usefixtures("blank_figures")
def test_players_meet_and_the_records_say_the_same(tmp_path, capsys):
    """Bargaining, whose seats differ: both orders are played; started again, it plays nothing."""
    out = tmp_path / "out"
    play = ("--game", "bargaining", "--players", "fair,boulware(0.2)", "greedy", "--set", "horizon=6")
    assert evolve(*play, "--repetitions", 2, "--out", out, *FEW) == 0
    first = (out / "matches" / "records.jsonl").read_text()
    assert len(first.splitlines()) == 2 * (6 + 3)
    assert evolve(*play, "--repetitions", 2, "--out", out, *FEW) == 0
    assert (out / "matches" / "records.jsonl").read_text() == first
    assert evolve("--records", out / "matches", "--players", "greedy,fair", "--out", tmp_path / "some", *FEW) == 0
    one, other, some = (
        read(out / "payoffs.csv"),
        read_matrix(out / "matches"),
        read(tmp_path / "some" / "payoffs.csv"),
    )
    assert one.types == ("fair", "boulware(0.2)", "greedy")
    assert np.array_equal(one.part(other.types).mean, other.mean)
    assert np.array_equal(one.part(["greedy", "fair"]).mean, some.mean)
    capsys.readouterr()


def test_classic_strategies_play_the_same_with_and_without_the_environment(tmp_path):
    players = ["tit-for-tat", "defector", "cooperator", "grudger"]
    plan = matrix_plan("matrix", players, 2, 0, {"rounds": 12})
    run(plan, tmp_path, jobs=1)
    quick, slow = quick_matrix(plan), played_matrix(plan, tmp_path)
    assert quick is not None
    assert quick.types == slow.types
    assert quick.mean == pytest.approx(slow.mean)
    assert not quick.error.any()
    assert not slow.error.any()
    assert slow.mean[0].tolist() == pytest.approx([3.0, 11 / 12, 3.0, 3.0])


@pytest.mark.parametrize(
    "settings", [{"stage_game": "battle-of-the-sexes"}, {"stage_game": "matching-pennies"}, {"on_error": "default"}]
)
def test_seats_that_differ_are_played_in_the_environment(settings):
    assert quick_matrix(matrix_plan("matrix", ["tit-for-tat", "defector"], 1, 0, settings)) is None


@pytest.mark.parametrize(
    ("given", "players"),
    [
        (["a,b"], ["a", "b"]),
        (["a", "b , c"], ["a", "b", "c"]),
        (["mixed(0.5, 1),boulware(0.2)"], ["mixed(0.5, 1)", "boulware(0.2)"]),
        (["human(\"a,b\"),x['1,2']"], ['human("a,b")', "x['1,2']"]),
    ],
)
def test_players_are_parted_at_the_commas_between_them(given, players):
    assert parse_players(given) == players


# How it tells


def test_verdicts_carry_their_certainty_only_where_there_is_doubt():
    sure, unsure = (type_table(quick_study(reciprocity(10), error)) for error in (None, np.full((3, 3), 0.03)))
    assert [row[1:4] for row in sure.rows] == [["yes", "no", "no"], ["no"] * 3, ["yes"] * 3]
    assert unsure.rows[2][1:4] == ["yes*"] * 3
    assert unsure.rows[1][1:4] == ["no*"] * 3
    assert unsure.rows[0][1] == "yes"  # its tie with the second type is no longer sure
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
    found = study(payoff_matrix.PayoffMatrix(("a", "b"), np.eye(2), error, **counts), QUICK)
    told = tables(found)[0]
    assert "5 matches did not come to their end and do not count (most: a with b: 4)" in told.note
    assert "Matches of a pair: 2 to 5." in told.note
    assert told.rows[0] == ["1 a", "1.000 (?)", "0.000 (?)"]


def test_cycles_and_many_types_are_told():
    assert basin_table(quick_study(rock_paper_scissors(1))).rows[0][:2] == ["does not settle", "100%"]
    many = quick_study(np.random.default_rng(1).normal(size=(14, 14)), population=20)
    assert "Only mixtures of up to 5 types were searched" in rest_table(many).note
    assert "Columns 13 to 14 are in payoffs.csv" in tables(many)[0].note
    assert len(tables(many)[0].rows) == 14


@pytest.mark.long
@pytest.mark.parametrize(("types", "names"), [(2, {"line"}), (3, {"simplex"}), (4, set()), (25, set())])
def test_figures_by_number_of_types(types, names):
    made = drawn(quick_study(np.random.default_rng(0).normal(size=(types, types)), population=30))
    always = {"payoffs", "replicator", "ecosystem", "moran", "fixation"}
    assert {one.name for one in made} == always | names


def test_curves_of_many_types_draw_the_rest_together():
    made = {one.name: one for one in drawn(quick_study(np.random.default_rng(0).normal(size=(25, 25)), population=30))}
    (legend,) = made["replicator"].figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "16 others"


def test_the_page_is_whole_and_names_do_no_harm():
    found = quick_study(reciprocity(5), types=[EVIL, "b", "c"])
    text = page(found, drawn(found), EVIL).text
    assert "<script" not in text
    assert "\u202e" not in text
    assert "".join(Page(text).text).count("<script>alert(1)</script>") > 3
    assert text.count("<svg") == 6


# Bad input


BAD = {
    "nothing": ([], "the payoffs of which types?"),
    "only a game": (["--game", "bargaining"], "the payoffs of which types?"),
    "only players": (["--players", "a,b"], "the payoffs of which types?"),
    "two sources": (["--matrix", "{square}", "--records", "{out}"], "--matrix stands for itself"),
    "matrix and game": (["--matrix", "{square}", "--game", "bargaining"], "--matrix stands for itself"),
    "matrix and set": (["--matrix", "{square}", "--set", "rounds=3"], "--set changes matches that are played now"),
    "unknown game": (["--game", "chess", "--players", "a,b"], "chess"),
    "too many seats": (
        ["--game", "guess_average", "--players", "nash,random"],
        "has 5 seats; allowed: a game with two",
    ),
    "unknown player": (["--game", "bargaining", "--players", "fair,nobody-knows"], "nobody-knows"),
    "one player": (["--game", "bargaining", "--players", "fair"], "1 players are not allowed; allowed: 2 to 100"),
    "player twice": (["--game", "bargaining", "--players", "fair,fair"], "'fair' is given twice"),
    "too many seats before players": (["--game", "water_allocation", "--players", "random,random"], "has 5 seats"),
    "blank player": (["--game", "bargaining", "--players", "fair,,greedy"], "player 2 of --players is blank"),
    "a person": (["--game", "bargaining", "--players", "fair,human"], "human"),
    "one-seat player": (["--game", "persuasion", "--players", "honest,trust"], "takes seat 0 only"),
    "unknown parameter": (["--game", "bargaining", "--players", "fair,greedy", "--set", "size=3"], "size"),
    "bad parameter": (["--game", "bargaining", "--players", "fair,greedy", "--set", "delta=7"], "delta"),
    "no equals sign": (["--game", "bargaining", "--players", "fair,greedy", "--set", "delta"], "NAME=VALUE"),
    "no repetitions": (["--game", "bargaining", "--players", "fair,greedy", "--repetitions", "0"], "repetitions=0"),
    "start of another size": (["--game", "bargaining", "--players", "fair,greedy", "--start", "1,1,1"], "3 shares"),
    "start in words": (["--matrix", "{square}", "--start", "half,half"], "numbers with commas"),
    "negative start": (["--matrix", "{square}", "--start", "1,1,-1"], "not all 0"),
    "no generations": (["--matrix", "{square}", "--generations", "0"], "generations=0 is not allowed"),
    "small population": (["--matrix", "{square}", "--population", "1"], "population=1 is not allowed"),
    "fewer than types": (["--matrix", "{square}", "--population", "2"], "at least 3, one of each type"),
    "no runs": (["--matrix", "{square}", "--runs", "0"], "runs=0 is not allowed"),
    "no starts": (["--matrix", "{square}", "--starts", "0"], "starts=0 is not allowed"),
    "resamples": (["--matrix", "{square}", "--resamples", "-1"], "resamples=-1 is not allowed"),
    "time": (["--matrix", "{square}", "--time", "0"], "time=0 is not allowed"),
    "fitness": (["--matrix", "{square}", "--fitness", "square"], "allowed: linear, exponential"),
    "intensity": (["--matrix", "{square}", "--fitness", "linear", "--intensity", "2"], "allowed: a number from 0 to 1"),
    "negative intensity": (["--matrix", "{square}", "--intensity", "-1"], "allowed: a number from 0"),
    "no such file": (["--matrix", "{out}.csv"], "no such file"),
    "matrix is a folder": (["--matrix", "{here}"], "is a folder; allowed: a CSV file"),
    "no such records": (["--records", "{out}"], "no such file or folder"),
    "no records in it": (["--records", "{here}"], "no records (*.jsonl)"),
    "no record in the file": (["--records", "{square}"], "1"),
    "another game's records": (["--records", "{records}", "--game", "persuasion"], "no matches of persuasion"),
    "unknown type": (["--records", "{records}", "--players", "fair,nobody"], "'nobody'"),
    "out is a file": (["--matrix", "{square}", "--out", "{square}"], "is a file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_line_and_leaves_nothing_behind(name, square, tmp_path, small_folder, capsys):
    given, says = BAD[name]
    places = {"square": square, "out": tmp_path / "out", "here": tmp_path, "records": small_folder}
    before = sorted(tmp_path.rglob("*"))
    out = [] if "--out" in given else ["--out", tmp_path / "out"]
    assert evolve(*(part.format(**places) for part in given), *out) == 1
    told = capsys.readouterr().err
    assert says in told
    assert len(told.strip().splitlines()) == 1
    assert told.startswith("econzoo: ")
    assert sorted(tmp_path.rglob("*")) == before


FILES = {
    "empty": ("", "the file is empty"),
    "only heads": ("type,opponent,payoff\n", "0 types are not allowed"),
    "one type": ("type,opponent,payoff\na,a,1\n", "1 types are not allowed"),
    "a pair is missing": ("type,opponent,payoff\na,a,1\na,b,1\nb,b,1\n", "no payoff of 'b' against 'a'"),
    "a pair twice": ("type,opponent,payoff\na,a,1\na,b,1\na,a,2\n", "line 4: 'a' against 'a' stands twice"),
    "words": ("type,opponent,payoff\na,a,much\n", "line 2: payoff 'much' is not allowed; allowed: a number"),
    "infinite": ("type,opponent,payoff\na,a,inf\n", "payoff 'inf' is not allowed"),
    "as large as numbers go": (
        ",a,b\na,1,1e308\nb,-1e308,4\n",
        "line 2: payoff '1e308' is not allowed; allowed: a number",
    ),
    "above the range": (",a,b\na,1,1000000001\nb,1,4\n", "allowed: a number from -1e+09 to 1e+09"),
    "as small as numbers go": (
        ",a,b\na,0,5e-324\nb,0,0\n",
        "line 2: payoff '5e-324' is not allowed; allowed: 0, or at",
    ),
    "large error": (
        "type,opponent,payoff,error\na,a,1,1e308\n",
        "error '1e308' is not allowed; allowed: a number from 0",
    ),
    "too many matches": (
        "type,opponent,payoff,matches\na,a,1,1e300\n",
        "matches '1e300' is not allowed; allowed: a whole",
    ),
    "semicolons": (
        ";a;b\na;1;2\nb;3;4\n",
        "line 1: there is one column, ';a;b'; allowed: type,opponent,payoff or a square",
    ),
    "pairs with semicolons": ("type;opponent;payoff\na;a;1,5\n", "with commas between the columns"),
    "negative error": ("type,opponent,payoff,error\na,a,1,-1\n", "error '-1' is not allowed"),
    "half a match": ("type,opponent,payoff,matches\na,a,1,1.5\n", "matches '1.5' is not allowed; allowed: a whole"),
    "unknown column": ("type,opponent,payoff,luck\na,a,1,1\n", "line 1: the column 'luck' is not allowed"),
    "column twice": ("type,opponent,payoff,error,error\na,a,1,1,1\n", "the column 'error' is not allowed"),
    "a cell too many": ("type,opponent,payoff\na,a,1,1\n", "line 2: 4 cells; allowed: 3"),
    "not square": (",a,b\na,1,2\n", "2 columns and 1 rows"),
    "rows in another order": (",a,b\nb,1,2\na,1,2\n", "line 2: the row is called 'b'; allowed: 'a'"),
    "a short row": (",a,b\na,1\nb,1,2\n", "line 2: 1 payoffs; allowed: 2"),
    "a hole": (",a,b\na,1,\nb,1,2\n", "line 2: payoff '' is not allowed"),
    "a name twice": (",a,a\na,1,2\na,1,2\n", "the type 'a' stands twice"),
    "no name": (",a,\na,1,2\n,1,2\n", "type 2 has no name"),
    "no CSV": ('\x00\x01,b\n"a', "not a CSV file"),
    "negative with linear": (",a,b\na,-1,2\nb,1,2\n", "negative fitness"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_matrix(name, tmp_path, capsys):
    text, says = FILES[name]
    path = tmp_path / "given.csv"
    path.write_text(text)
    assert evolve("--matrix", path, "--out", tmp_path / "out", "--fitness", "linear") == 1
    told = capsys.readouterr().err
    assert says in told
    assert len(told.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
