"""What users see: the command, its CSV, the tables of the terminal, the page."""

from __future__ import annotations

import csv
import math
from itertools import combinations
from pathlib import Path

import pytest
from handmade import exchanges, match, offers
from test_report import Page

from econzoo.__main__ import main
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.analyses.behaviour.figures import agreement_figure, concession_figure, frequent_points
from econzoo.evaluate.analyses.behaviour.measures import measure
from econzoo.evaluate.analyses.behaviour.page import behaviour
from econzoo.evaluate.analyses.behaviour.rows import Row
from econzoo.evaluate.run import Records
from exhaustive import long_unless
from refusals import refuses, says

EVIL = "mock('</td><script>alert(1)</script> \u202edlrow')"


@pytest.fixture(scope="module")
def records():
    """A few matches of every game, one player with a hostile name, one that is always silent."""
    made = []
    for seed in range(6):
        first = 0.6 + 0.05 * seed
        made.append(offers([first, 0.5, 1 - first], seed=seed, players=("openai:some-long-model-name@https://x", EVIL)))
        made.append(offers([first], seed=seed, players=("fair", "fair")))
        made.append(offers([1.5, 0.5, first], game="negotiation", seed=seed))
        rounds = [(i % 2, (i + seed) % 3 > 0, i % 2) for i in range(20)]
        made.append(exchanges(rounds, seed=seed, players=("a-seller-with-a-name", "a-buyer")))
        made.append(exchanges([(0, 0, 1)], ["hm"], seed=seed, players=(EVIL, "b")))
    return made


@pytest.fixture(scope="module")
def found(records):
    return measure(records)


@pytest.fixture(scope="module")
def page(records):
    return behaviour(Records(records, Path(EVIL.replace("/", ""))))


def test_every_row_is_a_number_with_its_interval_or_empty(found):
    for row in found.rows:
        assert row.n >= 0
        assert math.isnan(row.low) == math.isnan(row.high)
        if not math.isnan(row.low):
            assert row.low - 1e-9 <= row.value <= row.high + 1e-9 or row.measure in ("calibration", "anchoring")
        if row.n == 0:
            assert math.isnan(row.value)


def test_no_row_is_there_twice(found):
    names = [(r.measure, r.game, r.player, r.role, r.key) for r in found.rows]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_csv_says_what_was_found_and_leaves_empty_what_is_not_defined(found, page, tmp_path):
    page.write(tmp_path / "new", ["csv"])
    with (tmp_path / "new" / "behaviour" / "behaviour.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == list(Row._fields)
    assert len(read) == len(found.rows)
    for line, row in zip(read, found.rows, strict=True):
        assert line["value"] == ("" if math.isnan(row.value) else str(row.value))
    assert any(line["low"] == "" for line in read)


def test_the_terminal_shows_whole_tables_within_80_columns(page, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page.show()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    (head,) = {line.rstrip() for line in lines if "Pearson" in line and "Spearman" in line}
    assert head.split()[-1] == "once"
    titles = " ".join(lines)
    assert titles.count("in bargaining") >= 1
    assert titles.count("in persuasion") >= 2


@pytest.mark.slow
def test_the_page_is_whole_harmless_and_needs_no_network(page):
    text = page.to_html()
    read = Page(text)
    assert "script" not in read.tags
    assert "\u202e" not in text
    assert not [value for _, name, value in read.attributes if name in ("src", "href") and "//" in value]
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    links = {value[1:] for tag, name, value in read.attributes if tag == "a" and name == "href"}
    assert links
    assert len(read.ids) == len(set(read.ids))
    assert links <= set(read.ids)
    assert (
        read.tags.count("figure") == 1 + 2 + 1 + 2 + 1 + 1
    )  # two games of offers, each in two seats; two of persuasion
    assert "nan" not in "".join(read.text).lower().split()


def test_games_without_these_measures_are_left_out_and_refused_alone(records):
    other = match("bargaining", [])
    other.game = "chess"
    assert measure([*records, other]).excluded_matches == 1
    with refuses(ValueError, "bargaining, negotiation, persuasion"):
        measure([other])


FAMILIES = ("bargaining", "negotiation", "persuasion")
SOME = [names for size in (1, 2, 3) for names in combinations(FAMILIES, size)]
CASES = long_unless(lambda names: names in (FAMILIES, FAMILIES[:1]), [(names,) for names in SOME])


@pytest.mark.parametrize("games", CASES, ids="+".join)
@pytest.mark.usefixtures("blank_figures")
@pytest.mark.slow
def test_any_families_make_a_page_and_tables(games):
    def one(game, seed, kind):
        if kind != "played":
            return match(game, [], seed=seed, status="finished" if kind == "no move" else "forfeited")
        if game == "persuasion":
            return exchanges([(1, 1, 1), (0, 1, 0)], seed=seed)
        return offers([0.6, 0.5], game=game, seed=seed)

    for kind in ["played", "no move", "forfeited"]:
        played = [one(game, seed, kind) for game in games for seed in range(2)]
        made, page = measure(played), behaviour(Records(played))
        assert made.matches == made.clusters == dict.fromkeys(games, 2), (games, kind)
        text = "".join(Page(page.to_html()).text)
        for game in games:
            assert f"{game}: 2 matches, 2 clusters" in text, (games, kind)
        measured = {row.game for row in made.rows if row.n}
        assert measured == (set(games) - {"persuasion"} if kind != "played" else set(games)), (games, kind)
        assert ("no move" in text) == (kind != "played" and "persuasion" in games), (games, kind)


def test_matches_without_a_move_are_matches_without_a_deal():
    idle = [match("bargaining", [], seed=seed) for seed in range(2)]
    (row,) = [r for r in measure(idle).rows if r.measure == "no deal after round" and r.player == "a"]
    assert (row.key, row.value, row.n) == ("1", 1.0, 2)


@pytest.mark.slow
def test_legends_are_whole_and_leave_room_for_the_plot():
    for players in [2, 13]:
        names = [f"a-very-long-name-of-a-model-{i:02}" if i % 2 else f"model-{i:02}" for i in range(players)]
        made = measure([offers([0.6, 0.5], players=(name, "b"), seed=s) for name in names for s in range(2)])
        for figure in (agreement_figure(made.rows, "bargaining"), concession_figure(made.rows, "bargaining", "Alice")):
            figure.draw_without_rendering()
            (legend,) = figure.legends
            found = legend.get_window_extent()
            assert figure.bbox.x0 <= found.x0 < found.x1 <= figure.bbox.x1, players
            assert figure.bbox.y0 <= found.y0 < found.y1 <= min(ax.get_tightbbox().y0 for ax in figure.axes) + 1, (
                players
            )
            assert all(ax.bbox.width > 0.75 * figure.bbox.width for ax in figure.axes), players
            assert sum(ax.bbox.height for ax in figure.axes) > 1.9 * figure.dpi, players


def test_rounds_with_few_offers_are_not_drawn_unless_all_have_few():
    def row(n):
        return Row("asked", "bargaining", "a", "Alice", str(n), 0.5, 0.4, 0.6, n)

    assert frequent_points([row(9), row(5), row(4)]) == [row(9), row(5)]
    assert frequent_points([row(4), row(1)]) == [row(4), row(1)]


@pytest.mark.usefixtures("blank_figures")
def test_the_command_writes_csv_and_page(records, tmp_path, capsys):
    file = RecordFile(tmp_path / "records.jsonl")
    for record in records:
        file.append(record)
    (tmp_path / "more.jsonl").write_text("{}\n")
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(tmp_path), "behaviour", "--out", str(out)])
    assert not ended.value.code
    assert "more.jsonl" in "".join(capsys.readouterr().out.split())  # a terminal folds a long path
    csv_file = out / "behaviour" / "behaviour.csv"
    assert csv_file.read_text().startswith("measure,game,player,role,key,value,low,high,n\n")
    says((out / "behaviour.html").read_text(), "more.jsonl")


def test_a_file_is_no_place_for_the_results(tmp_path, capsys):
    RecordFile(tmp_path / "records.jsonl").append(offers([0.5]))
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(tmp_path), "behaviour", "--out", str(tmp_path / "records.jsonl")])
    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "records.jsonl", "folder")


def test_an_empty_folder_is_said_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["analyze", str(tmp_path), "behaviour"])
    assert ended.value.code == 1
    assert "no records" in capsys.readouterr().err
