"""One report over a folder of several games: players by games, what went wrong anywhere, and one table of costs."""

from __future__ import annotations

import csv
import re
import shlex

import pytest
from given_commands import command

from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.run import new_design, read_folder, read_records, run
from econzoo.evaluate.show import show
from refusals import refuses, says

MUTE = "mute=mock:no words"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Bargaining and multi_issue with a player that has no legal answer, matrix cut before its end and not."""
    place = tmp_path_factory.mktemp("games")
    for game in ("bargaining", "multi_issue"):
        run(new_design(game, ["fair", "random", MUTE], ["default"], 3, on_error="forfeit"), place / game, jobs=1)
    run(new_design("matrix", ["random", "grudger"], ["default"], 3), place / "matrix", jobs=1)
    run(new_design("matrix", ["random", "grudger"], ["default"], 2, max_cycles=3), place / "cut", jobs=1)
    return place


@pytest.fixture(scope="module")
def page(folder):
    return analyze(folder)


@pytest.mark.slow
def test_every_number_is_that_of_the_game_alone(folder, page, tmp_path):
    page.write(tmp_path)
    rows = list(csv.DictReader((tmp_path / "summary" / "games.csv").open()))
    assert {(row["player"], row["game"]) for row in rows} == {
        *((player, game) for player in ("fair", "random", "mute") for game in ("bargaining", "multi_issue")),
        *((player, "matrix") for player in ("random", "grudger")),
    }
    for row in rows:
        of_game = read_records(folder).filter(lambda one, game=row["game"]: one.game == game)
        alone = summarize(of_game, seconds=0).overall[row["player"]]
        assert float(row["mean"]) == alone["self_gain"].mean
        assert float(row["forfeit"]) == alone["forfeit"].mean
        assert (row["mean_low"] == "") == bool(alone["self_gain"].no_interval_reason)


@pytest.mark.slow
def test_one_latex_table_has_players_by_games(page, tmp_path):
    page.write(tmp_path)
    text = (tmp_path / "summary" / "games.tex").read_text()
    says(text, "player & bargaining & matrix & multi\\_issue", "valid answers")
    assert re.search(r"^mute & .* & -- & .* & \$0\\%\$", text, re.MULTILINE)
    assert not (tmp_path / "summary" / "by_game.tex").exists()


def test_what_went_wrong_is_counted_over_all_games(folder, page):
    counts = {row["game"]: row for row in page.to_dict()["failures"]}
    records = read_folder(folder)[0]
    for game in ("bargaining", "matrix", "multi_issue"):
        own = [one for one in records if one.game == game]
        assert counts[game]["matches"] == len(own)
        assert counts[game]["forfeited"] == sum(one.status == "forfeited" for one in own)
        assert counts[game]["invalid answers"] == sum(sum(one.errors) > 0 for one in own)
        assert counts[game]["match cut"] == sum(one.is_truncated for one in own)
    assert counts["matrix"]["match cut"] > 0 < counts["bargaining"]["forfeited"]


def test_the_page_filters_what_went_wrong_and_links_the_match(folder, page, tmp_path):
    html = page.write(tmp_path).read_text()
    says(html, 'name="trouble"', 'name="game"', ">match cut<", ">invalid answers<", ">forfeited<")
    for record in read_folder(folder)[0]:
        (item,) = re.findall(rf'<li class="match"[^>]*><a href="summary/matches/{record.id}[^<]*', html)
        assert f'data-game="{record.game}"' in item
        assert ("forfeited" in item.partition("data-players")[0]) == (record.status == "forfeited")
        assert (tmp_path / "summary" / "matches" / f"{record.id}.html").exists()


def test_few_pages_are_of_what_went_wrong(folder):
    page = analyze(folder, transcripts=6)
    html = page.to_html()
    shown = re.findall(r'data-game="(\w+)" data-trouble="([^"]*)"', html)
    assert len(shown) == 6
    assert {game for game, _ in shown} == {"bargaining", "matrix", "multi_issue"}
    assert all(trouble for _, trouble in shown)


def test_more_games_than_stand_side_by_side_are_told_one_below_the_other(folder, page, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    show(page.parts)
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    says(" ".join(told.split()), "under 6 draws", "mute", "bargaining (27 matches)")
    monkeypatch.setattr("econzoo.evaluate.analyses.summary.several_games.MAX_GAMES", 2)
    show(analyze(folder).parts)
    says(capsys.readouterr().out, "3 games are too many for a terminal; games.csv has them")


def test_an_objective_and_a_title_are_taken(folder):
    page = analyze(folder, objective="efficiency", title="Mine", transcripts=0)
    assert page.title == "Mine"
    assert {row["objective"] for row in page.to_dict()["games"]} == {"efficiency"}
    assert not page.script


def test_a_folder_without_any_result_is_refused(folder, tmp_path):
    run(new_design("matrix", ["random", "grudger"], ["default"], 1, max_cycles=1), tmp_path / "a", jobs=1)
    run(new_design("coin_game", ["random", "greedy"], ["default"], 1, max_cycles=1), tmp_path / "b", jobs=1)
    with refuses(ValueError, "no match of matrix, coin_game has a result"):
        analyze(tmp_path)


def test_the_command_takes_the_folder_of_a_suite(tmp_path, capsys):
    for words in (
        ["run", "standard", "random", "--seeds", "1", "--out", tmp_path / "suite"],
        ["analyze", tmp_path / "suite", "--format", "csv", "--transcripts", "3"],
    ):
        assert command(*words) == 0
    told = capsys.readouterr().out
    says(told, "174 matches of 11 games", "11 games are too many", "No match had problems")
    (next_one,) = re.findall("Page and files: econzoo (.*)", told)
    assert command(*shlex.split(next_one), "--format", "csv") == 0, "what is said to come next works"
