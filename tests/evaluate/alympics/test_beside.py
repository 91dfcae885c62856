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
from econzoo.evaluate.analyses.alympics import indicator_table, run_grid
from econzoo.evaluate.analyses.alympics.indicator_table import Column, IndicatorTable, Row
from econzoo.evaluate.analyses.alympics.paper import TABLE_2
from econzoo.evaluate.analyses.alympics.published_games import read_beside
from econzoo.evaluate.analyses.alympics.water_games import GAMES, grouped
from econzoo.evaluate.formats.alympics.importing import MODEL, import_games
from econzoo.evaluate.stats.intervals import Interval


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
    found = read_beside([archive])
    assert [(game.lineup, game.seed) for game in found.games] == [(GAMES, 1), (GAMES, 10)]
    assert [game.days[-1].healths for game in found.games] == [(3, 4), (3, 2)]  # Bob by the rules, and as printed
    (problem,) = found.problems
    assert "broken.json: not JSON" in problem
    assert found.notes[0].endswith(
        "WAC_nopersona_3_7_10.json counts as printed, which is not as the rules have it: day 2"
    )


def test_imported_records_have_the_number_of_their_game_and_the_name_of_their_model(archive, tmp_path):
    import_games(archive, tmp_path / "out.jsonl", keep=True)
    found = read_beside([tmp_path / "out.jsonl"])
    assert [(game.lineup, game.seed) for game in found.games] == [(MODEL, 1), (MODEL, 10)]
    assert [game.days[-1].healths for game in found.games] == [(3, 4), (3, 4)]  # by the rules
    assert "in 1 published game what counts is the outcome of the bids by the rules" in found.notes[0]


def test_a_grid_shows_who_lived_run_by_run(tmp_path):
    for number, game in ((2, by_the_rules()), (5, with_a_death())):
        game.save(tmp_path / "games", f"WAC_nopersona_3_7_{number}")
    games = grouped(read_beside([tmp_path / "games"]).games)
    first, second = run_grid.run_grids(games)  # a start with one health point is another setting
    assert first.heads == ["", "2", "mean"]
    assert first.rows == [
        ["Alex", "\u2713", "100%"],
        ["Bob", "\u2713", "100%"],
        ["RSR start", "0.71", "0.71"],  # 5 units are expected, 7 needed
        ["RSR end", "0.71", "0.71"],
    ]
    assert second.rows == [
        ["Alex", "\u2717", "0%"],
        ["Bob", "\u2713", "100%"],
        ["RSR start", "0.71", "0.71"],
        ["RSR end", "1.25", "1.25"],  # Bob needs 4
    ]
    assert "Alex & $\\times$ & 0\\% \\\\" in run_grid.to_latex([second])
    assert [row[2:] for row in run_grid.run_rows(games)][:2] == [(2, "Alex", 1, 5 / 7), (2, "Bob", 1, 5 / 7)]


def test_rsr_of_the_paper_is_what_it_prints():
    assert [one.rsr_end for one in TABLE_2.values()] == [0.83, 0.51, 0.53, 0.72, 0.65, 0.52]


@pytest.fixture
def marked():
    """A row of the paper's with one printed number and one that was counted again."""
    cells = {"rsr": Interval(0.83, 0.83, 0.83, 10), "bid": Interval(185.7, 185.7, 185.7, 10)}
    row = Row(("scarce",), 10, cells, published=True, recounted=frozenset({"bid"}))
    return IndicatorTable("Towns", ("setting",), (Column("rsr", "RSR"), Column("bid", "bid", 1)), [row])


def test_numbers_that_were_counted_again_have_a_mark_everywhere(marked, tmp_path):
    (row,) = marked.rows
    assert [row.text(column) for column in marked.columns] == ["0.83", "185.7*"]
    assert "* Counted from the published games" in marked.note
    assert " & $0.83$ & $185.7^*$ " in indicator_table.to_latex(marked, "towns")
    with indicator_table.to_csv(marked, tmp_path / "t.csv").open() as file:
        assert [(one["published"], one["recounted"]) for one in csv.DictReader(file)] == [("1", "0"), ("1", "1")]
    assert indicator_table.to_dict(marked)[0]["recounted"] == ["bid"]


@pytest.mark.usefixtures("blank_figures")
def test_own_players_and_published_games_are_on_one_page(archive, tmp_path):
    out = tmp_path / "town"
    own = ("--players", "need-based", "--games", 1, "--setting", "scarce", "--days", 2)
    text = told("experiment", "water", *own, "--beside", archive, "--out", out)
    assert "1 of 1 matches, 2 games from elsewhere" in text
    page = (out / "experiment.html").read_text()
    assert "2 games from elsewhere" in page
    assert page.count("<caption>") == 2
    with (out / "tables" / "runs.csv").open() as file:
        assert {(row["players"], row["game"]) for row in csv.DictReader(file)} == {
            ("need-based", "0"),
            (GAMES, "1"),
            (GAMES, "10"),
        }


@pytest.mark.usefixtures("blank_figures")
def test_published_games_alone_need_no_players(archive, tmp_path):
    found = json.loads(told("experiment", "water", "--beside", archive, "--out", tmp_path / "town", "--json"))
    assert (found["matches"], found["planned"], found["beside"]) == (0, 0, 2)
    assert found["rows"][0]["survivors"]["mean"] == 2.0
    page = (tmp_path / "town" / "experiment.html").read_text()
    played = page[page.index('id="played"') : page.index('id="table"')]
    for part in ("You are Alex.", "supply", "3,7", "published games", "the files do not name"):
        assert part in played, part
    assert "italics" not in page  # the paper has no row of this town
    error = told("experiment", "water", "--out", tmp_path / "town", code=1)
    assert error == "econzoo: neither --players nor --beside is given; allowed: one of them, or both\n"
