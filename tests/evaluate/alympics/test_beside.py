"""Published games and records stand beside own matches, and numbers that are not the paper's say so."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import zipfile

import pytest
from alympics_files import by_the_rules, tie_fault, with_a_death

from econzoo.__main__ import main
from econzoo.evaluate.analyses.alympics.game_collection import read_games
from econzoo.evaluate.analyses.alympics.indicators import Row, indicator_tables
from econzoo.evaluate.analyses.alympics.water import run_tables
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, group_by_lineup
from econzoo.evaluate.formats.alympics import import_games
from econzoo.evaluate.formats.alympics.importing import MODEL
from econzoo.evaluate.show import PAGE, TEXT, Column, csv_of, json_of, write_value
from econzoo.evaluate.show.files import latex_of
from econzoo.evaluate.stats import Interval
from refusals import says


def told(*arguments, code=0):
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(list(map(str, arguments)))
    assert ended.value.code == code, err.getvalue()
    return out.getvalue() if code == 0 else err.getvalue()


@pytest.fixture
def archive(tmp_path):
    """Games 1 and 10 of one setting, the second with the tie fault, and a file that is no game."""
    path = tmp_path / "records.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.write(by_the_rules().save(tmp_path / "one"), "records/WAC_nopersona_3_7_1.json")
        made.write(tie_fault().save(tmp_path / "two"), "records/WAC_nopersona_3_7_10.json")
        made.writestr("records/broken.json", "{")
    return path


def test_published_games_count_as_printed_and_what_cannot_be_read_is_told(archive):
    found = read_games([archive])
    assert [(game.lineup, game.seed) for game in found.games] == [(PUBLISHED_LINEUP, 1), (PUBLISHED_LINEUP, 10)]
    assert [game.days[-1].healths for game in found.games] == [(3, 4), (3, 2)]  # Bob by the rules, and as printed
    (problem,) = found.problems
    says(problem, "broken.json", "JSON")
    says(found.notes[0], "WAC_nopersona_3_7_10.json", "day 2")


def test_imported_records_have_the_number_of_their_game_and_the_name_of_their_model(archive, tmp_path):
    import_games(archive, tmp_path / "out.jsonl", keep_invalid=True)
    found = read_games([tmp_path / "out.jsonl"])
    assert [(game.lineup, game.seed) for game in found.games] == [(MODEL, 1), (MODEL, 10)]
    assert [game.days[-1].healths for game in found.games] == [(3, 4), (3, 4)]  # by the rules
    says(found.notes[0], "1 published game")


def test_a_grid_shows_who_lived_run_by_run(tmp_path):
    for number, game in ((2, by_the_rules()), (5, with_a_death())):
        game.save(tmp_path / "games", f"WAC_nopersona_3_7_{number}")
    games = group_by_lineup(read_games([tmp_path / "games"]).games)
    runs, shown = run_tables(games, places=(PAGE,))
    assert [column.title for column in shown.columns] == ["game", "Alex", "Bob", "RSR start", "RSR end"]
    first, *two, second, three, mean = shown.rows  # a start with one health point is another setting
    assert (first.text.split(": ")[1], second.text.split(": ")[1]) == (PUBLISHED_LINEUP, PUBLISHED_LINEUP)
    needed = pytest.approx(5 / 7)  # 5 units are expected, 7 needed
    assert two == [["2", "\u2713", "\u2713", needed, needed], ["mean", 1.0, 1.0, needed, needed]]
    assert three == ["5", "\u2717", "\u2713", needed, 1.25]  # Bob needs 4
    assert mean == ["mean", 0.0, 1.0, needed, 1.25]
    assert "5 & $\\times$ & $\\surd$ & $0.71$ & $1.25$ \\\\" in latex_of(shown)
    assert "mean & $0\\%$ & $100\\%$" in latex_of(shown)
    assert [row[2:] for row in runs.rows][:2] == [(2, "Alex", 1, needed), (2, "Bob", 1, needed)]


@pytest.fixture
def marked():
    """A row of the paper's with one printed number and one that was counted again."""
    cells = {"rsr": Interval(0.83, 0.83, 0.83, 10), "bid": Interval(185.7, 185.7, 185.7, 10)}
    row = Row(("scarce",), 10, cells, is_published=True, recounted_keys=frozenset({"bid"}))
    columns = Column("rsr", "RSR", digits=2), Column("bid", digits=1)
    return indicator_tables("towns", [Column("setting", kind=TEXT)], [row], {"Towns": columns})


def test_numbers_that_were_counted_again_have_a_mark_everywhere(marked):
    long, shown = marked
    assert [write_value(*both) for both in zip(shown.columns[2:], shown.rows[0][2:], strict=True)] == ["0.83", "185.7*"]
    says(shown.note, "*")
    assert " & \\textit{$0.83$} & \\textit{$185.7^{*}$} " in latex_of(shown)
    heads, rows = csv_of(long)
    assert [(one["published"], one["recounted"]) for one in (dict(zip(heads, r, strict=True)) for r in rows)] == [
        (1, 0),
        (1, 1),
    ]
    assert [one["recounted"] for one in json_of(marked)["towns"]] == [False, True]


@pytest.mark.usefixtures("blank_figures")
@pytest.mark.slow
def test_own_players_and_published_games_are_on_one_page(archive, tmp_path):
    out = tmp_path / "town"
    own = ("need-based", "--seeds", 1, "--settings", "scarce", "-p", "days=2")
    assert "1 of 1" in told("run", "water", *own, "--beside", archive, "--out", out)
    told("analyze", out, "water", "--beside", archive, "--format", "csv")
    page = (out / "water.html").read_text()
    assert "2 games" in page
    with (out / "water" / "runs.csv").open() as file:
        assert {(row["lineup"], row["seed"]) for row in csv.DictReader(file)} == {
            ("need-based", "0"),
            (PUBLISHED_LINEUP, "1"),
            (PUBLISHED_LINEUP, "10"),
        }


@pytest.mark.usefixtures("blank_figures")
@pytest.mark.slow
def test_published_games_alone_need_no_players(archive, tmp_path):
    town = tmp_path / "town"
    found = json.loads(told("run", "water", "--beside", archive, "--out", town, "--json"))
    assert json.loads(told("analyze", town, "water", "--beside", archive, "--json")) == found
    assert {row["lineup"] for row in found["runs"]} == {PUBLISHED_LINEUP}
    assert [row["value"] for row in found["indicators"] if row["indicator"] == "survivors"] == [2.0]
    assert "broken.json" in found["problems"][0]["problem"]
    page = (town / "water.html").read_text()
    played = page[page.index(">What was played</h2>") : page.index(">Results</h2>")]
    for part in ("Alex", "supply", "3,7", "published games"):
        assert part in played, part
    assert "italics" not in page  # the paper has no row of this town
    says(told("run", "water", "--out", town, code=1), "players", "--beside")
    says(told("analyze", tmp_path / "none", "water", code=1), tmp_path / "none")
