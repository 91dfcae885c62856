"""Matches that `max_cycles` cut have no result: tables and training leave them out, and say how many they are."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from html import unescape

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record, RecordFile, read_record_file
from econzoo.evaluate.adapters.inspect_task import MEASURES
from econzoo.evaluate.analyses import analyze, frame
from econzoo.evaluate.analyses.behaviour import ending_table
from econzoo.evaluate.analyses.behaviour.channel import channel_effects
from econzoo.evaluate.analyses.behaviour.offers import CUT_OFF
from econzoo.evaluate.analyses.glee_benchmark import quick_table, results
from econzoo.evaluate.analyses.glee_metrics import metrics_of
from econzoo.evaluate.analyses.judging import evidence
from econzoo.evaluate.analyses.learning import Training, learning_table, learning_tables, plain_table
from econzoo.evaluate.analyses.regression import observe
from econzoo.evaluate.analyses.regression.sentences import data_notes
from econzoo.evaluate.analyses.summary import notes, sentences, summarize
from econzoo.evaluate.analyses.tidy.tables import tables
from econzoo.evaluate.commands.play import story
from econzoo.evaluate.run import missing_matches, new_design, play_match, read_folder, replay, run
from econzoo.evaluate.run import read_records as records_of
from econzoo.evaluate.stats import BEST, MISSING, WORST
from econzoo.people.study import payoff_for_bonus
from econzoo.people.table.listing import build_entry
from econzoo.people.table.record_check import check_record
from refusals import refuses, says

pytestmark = pytest.mark.usefixtures("blank_figures")

PLAYERS = ["fair", "greedy", "random"]
PLAN = new_design("bargaining", PLAYERS, ["default"], seeds=3, max_cycles=2)
"""Four moves: fair and greedy agree at times, two greedy ones never do."""

TRAININGS = [Training("made", {"fair": 0, "greedy": 1})]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Matches that ended and matches that were cut."""
    folder = tmp_path_factory.mktemp("both")
    run(PLAN, folder, jobs=1)
    return folder


@pytest.fixture(scope="module")
def cut(folder):
    found = [record for record in read_folder(folder)[0] if record.is_truncated]
    assert 5 < len(found) < len(PLAN) - 5
    return found


@pytest.fixture(scope="module")
def without(folder, tmp_path_factory):
    """The same folder without the matches that were cut."""
    without = tmp_path_factory.mktemp("without")
    (without / "manifest.json").write_text((folder / "manifest.json").read_text())
    _written(without / "records.jsonl", [one for one in read_folder(folder)[0] if not one.is_truncated])
    return without


@pytest.fixture(scope="module")
def one():
    """Two who want too much are cut after four moves: the fourth is an offer on the table."""
    record = play_match("bargaining", ["greedy", "greedy"], horizon=None, max_cycles=2)
    assert (record.status, record.is_truncated, record.has_result) == ("truncated", True, False)
    return record


def _written(path, records):
    file = RecordFile(path)
    for record in records:
        file.append(record)
    return path


# The record


def test_a_cut_match_pays_nothing_and_keeps_what_its_position_would_pay():
    for name in econzoo.games():
        game = find_game(name)
        seats = game.seats(game.params()[1])
        played = [play_match(name, ["random"] * seats, seed, max_cycles=1) for seed in range(3)]
        record = next((one for one in played if one.is_truncated), None)
        if record is None:
            assert max(len(one.turns) for one in played) == 1, name  # a game of one move is never cut
            continue
        assert (record.status, record.payoffs) == ("truncated", [0.0] * seats), name
        assert record.metrics == {"gains": [None] * seats, "efficiency": None, "fairness": None, "agreed": False}, name
        assert record.position_payoffs == _by_the_rules(record), name
        assert {one.position_payoffs is None for one in played if not one.is_truncated} <= {True}, name
        line = json.loads(record.to_json())
        assert Record.from_json(json.dumps(line)) == record, name
        assert replay(line) == [], name
        for field, value in {
            "position_payoffs": [one + 1 for one in record.position_payoffs],
            "payoffs": [1.0] * seats,
            "status": "finished",
            "metrics": {**record.metrics, "agreed": True},
        }.items():
            assert field in [problem.field for problem in replay({**line, field: value})], (name, field)
        assert "position_payoffs" in [one.field for one in replay({**line, "position_payoffs": None})], name


def _by_the_rules(record):
    """Payoffs of the position after the recorded moves, in a match without a limit."""
    env = econzoo.make(record.game, face=tuple(record.faces), **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance, "rulings": record.rulings})
    for turn in record.turns:
        env.step(turn.answer)
    return list(env.payoffs)


def test_a_run_goes_on_without_playing_them_again(folder, cut):
    assert missing_matches(PLAN, folder) == []
    before = (folder / "records.jsonl").read_text()
    assert run(PLAN, folder, jobs=1) == 0
    assert (folder / "records.jsonl").read_text() == before


# Tables


def _learned(folder):
    return learning_table(PLAN, read_folder(folder)[0], TRAININGS, "given")


def _channel(folder):
    records = read_folder(folder)[0]
    return channel_effects({"on": records, "scrambled": [_scrambled(record) for record in records]})


CASES = ("without_result", "no_result_note", MISSING, WORST, BEST)
"""What is told of matches without a result, beside the numbers of the others."""


def _known(values):
    """All numbers but `CASES`, and rows with others."""
    if isinstance(values, dict):
        return {key: _known(value) for key, value in values.items() if key not in CASES}
    if not isinstance(values, list):
        return values
    return [_known(one) for one in values if not isinstance(one, dict) or one.get("self_gain", {"rows": 1})["rows"]]


def _scrambled(record):
    return replace(record, options={**record.options, "channel": "scrambled"}, id=f"{record.id}s")


TABLES = {
    "frame": lambda folder: frame(read_folder(folder)[0]).to_dict("list"),
    "summary": lambda folder: _known(summarize(records_of(folder)).to_dict()),
    "analysis": lambda folder: observe(read_folder(folder)[0])[0].table.to_dict("list"),
    "learning": lambda folder: _known(plain_table(_learned(folder))),
    "glee": lambda folder: (quick_table(folder)[0].to_dict("list"), _known(results(folder).groups)),
    "channel": _channel,
}

COUNTS = {
    "summary, JSON": lambda folder: "{without_result} matches were truncated".format(
        **summarize(records_of(folder)).to_dict()
    ),
    "summary, report": lambda folder: " ".join(sentences(summarize(records_of(folder)))),
    "summary, terminal": lambda folder: " ".join(one.text for one in notes(summarize(records_of(folder)))),
    "analysis": lambda folder: " ".join(data_notes(observe(read_folder(folder)[0])[0])),
    "learning, terminal": lambda folder: str(learning_tables(plain_table(_learned(folder)))[0].note),
    "learning, JSON": lambda folder: plain_table(_learned(folder))["no_result_note"],
    "glee": lambda folder: f"{results(folder).cut_count} matches were truncated",
}


@pytest.mark.slow
def test_tables_are_those_of_the_folder_without_them(folder, without, cut):
    for name, table in TABLES.items():
        assert repr(table(folder)) == repr(table(without)), name


def test_their_number_is_told(folder, without, cut):
    for where, told in COUNTS.items():
        assert f"{len(cut)} matches were truncated" in told(folder), where


@pytest.mark.slow
def test_nothing_is_told_where_there_are_none(without):
    assert "without_result" not in summarize(records_of(without)).to_dict()
    for told in ("summary, report", "summary, terminal", "analysis", "learning, terminal"):
        assert "were truncated" not in COUNTS[told](without)


def test_a_folder_with_nothing_else_is_refused_in_a_line(one, tmp_path):
    folder = _written(tmp_path / "records.jsonl", [one]).parent
    for name in sorted(set(TABLES) - {"frame"}):
        with refuses(ValueError, 1, "truncated"):
            TABLES[name](folder)
    assert frame([one]).empty
    with refuses(ValueError, "truncated"):
        metrics_of(one)


@pytest.mark.slow
def test_the_report_shows_them_as_cut(folder, cut, tmp_path):
    text = unescape(analyze(folder).write(tmp_path, ()).read_text())
    says(text, f"{len(cut)} matches were truncated")
    shown = next(record for record in cut if (tmp_path / "summary" / "matches" / f"{record.id}.html").is_file())
    own = unescape((tmp_path / "summary" / "matches" / f"{shown.id}.html").read_text())
    assert "position payoff" in own
    assert ">cut<" in own


def test_behaviour_still_reads_their_offers(one):
    assert set(ending_table([one])["ended"]) == {CUT_OFF}


# What is shown of one


def test_what_its_position_would_pay_is_never_called_a_payoff(one):
    told = story(find_game("bargaining"), one)
    assert told.splitlines()[-1].startswith("  cut; position payoffs: ")
    assert build_entry(one, "key", "/").outcome == "cut"
    assert [pays for _, _, pays in build_entry(one, "key", "/").seats] == ["", ""]
    assert check_record(one.to_json()).payoffs == one.position_payoffs
    judged = evidence(one, 0).result
    says(judged, "Nobody", "position")
    assert math.isnan(MEASURES["payoff"](one, 0))
    assert math.isnan(MEASURES["share"](one, 0))
    assert payoff_for_bonus(one, 0) is None


def test_the_export_keeps_them_with_an_empty_payoff(one):
    ended = play_match("bargaining", ["fair", "fair"], max_cycles=2)
    assert ended.status == "finished"
    matches, seats, _ = tables([one, ended], lambda record: "", False)
    values = {column.name: column.values for table in (matches, seats) for column in table.columns}
    assert values["status"] == ["truncated", "finished"]
    assert values["payoff"] == [None, None, *ended.payoffs]
    assert values["position_payoff"] == [*one.position_payoffs, None, None]
    assert values["self_gain"] == [None, None, *ended.metrics["gains"]]


# Commands


def _status(*words):
    with pytest.raises(SystemExit) as ended:
        main([*words])
    return ended.value.code


def test_the_terminal_says_so(tmp_path, capsys):
    out = tmp_path / "few.jsonl"
    options = ["-p", "max_cycles=2", "-p", "horizon=null", "--out", str(out)]
    assert _status("play", "bargaining", "greedy", "greedy", "--matches", "5", *options) == 0
    assert capsys.readouterr().out.count(" cut ") == 5
    assert {record.is_truncated for record in read_record_file(out)} == {True}
    assert _status("convert", str(out), str(tmp_path / "tables"), "--to", "csv") == 0
    with (tmp_path / "tables" / "seats.csv").open() as file:
        assert {row["payoff"] for row in csv.DictReader(file)} == {""}
