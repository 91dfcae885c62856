"""Summaries: like is compared with like, and what cannot be trusted is left out and counted."""

from __future__ import annotations

import json

import pytest

from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.run import new_design, read_records, run
from econzoo.evaluate.show import Text


@pytest.fixture
def folder(tmp_path):
    run(new_design("bargaining", ["spe", "fair"], seeds=2), tmp_path, jobs=1)
    return tmp_path


def change(folder, number, **fields):
    path = folder / "records.jsonl"
    lines = path.read_text().splitlines()
    lines[number] = json.dumps({**json.loads(lines[number]), **fields})
    path.write_text("\n".join(lines) + "\n")


def test_a_damaged_record_is_left_out_and_said_so(folder):
    whole = (folder / "records.jsonl").read_text()
    for fields in [
        {"payoffs": None},
        {"players": ["fair"] * 3},
        {"game": "chess"},
        {"params": {"money": -1}},
        {"turns": [5]},
        {"metrics": {"gains": [1, 1]}},
    ]:
        (folder / "records.jsonl").write_text(whole)
        change(folder, 0, **fields)
        summary = summarize(read_records(folder))
        assert len(summary.played_matches) == 7, fields
        assert len(summary.unreadable) == 1, fields
        assert "line 1" in str(summary.unreadable[0]), fields


def test_a_report_does_not_believe_a_payoff_that_the_rules_do_not_give(folder):
    metrics = {"gains": [50.0, 50.0], "efficiency": 100.0, "fairness": 1.0, "agreed": True}
    change(folder, 2, metrics=metrics)
    page = analyze(folder)
    sentences = [one.text for one in page.parts[:8] if isinstance(one, Text)]
    assert "50.0" not in " ".join(sentences)
    assert any("1 line" in sentence for sentence in sentences)


def test_overall_means_compare_players_over_the_opponents_that_all_of_them_met(tmp_path):
    run(new_design("bargaining", ["spe", "fair"], seeds=1), tmp_path / "a", jobs=1)
    run(new_design("bargaining", ["fair"], seeds=1, opponents=["greedy"]), tmp_path / "b", jobs=1)
    alone, both = summarize(read_records(tmp_path / "a")), summarize(read_records(tmp_path))
    assert both.players == alone.players
    assert both.overall["fair"]["self_gain"].mean == alone.overall["fair"]["self_gain"].mean
    assert ("fair", "greedy") in both.pairs
    assert both.planned_matches == 6
