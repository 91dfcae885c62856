"""Budgets: a run that has spent its money stops, keeps what it has, and goes on; estimates before the bulk."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("openai")

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import SUFFIX, Budget, BudgetSpentError, format_dollars
from econzoo.baselines.models.pacing import TokenBucket
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import Spending, spending_at
from econzoo.evaluate.run.cost_estimate import describe_estimate, estimate
from econzoo.evaluate.run.costs import costs
from models.faults import BadDay
from refusals import refuses, says

PRICE = "price_per_million=10000,10000"
"""A cent a token; `BadDay` counts 10 tokens read and 5 written: 15 cents a call."""

CALL = 0.15


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def command(*words: object) -> int:
    """Runs a command in this process; its exit code."""
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def ended(folder: str) -> list[Record]:
    return list(read_record_file(Path(folder) / "records.jsonl"))


def plan(server: BadDay, *more: object, concurrency: int = 1, price: str = PRICE) -> tuple[object, ...]:
    spec = f"fast={server.spec}&{price}&concurrency={concurrency}"
    meets = "--opponents", "fair", "-p", "horizon=3", "--seeds", 10
    return ("tournament", "bargaining", spec, *meets, "--out", "t", *more)


def test_a_run_that_meets_its_budget_stops_and_goes_on_with_a_larger_one(capsys):
    with BadDay({}) as server:
        assert command(*plan(server, "--yes", "--max-cost", 2)) == 4
        # 14 calls are $2.10, and none is made after the one by which the budget is met.
        assert len(server.requests) == 14
        said = capsys.readouterr().err
        says(said, "$2.10 of $2.00", "210 tokens", "--max-cost")
        assert (Path("t") / f"records.jsonl{SUFFIX}").exists()
        first = len(ended("t"))
        assert spending_at(Path("t")) == (pytest.approx(2.1), 210)
        assert command(*plan(server, "--yes", "--max-cost", 2)) == 4  # still spent: nobody is asked
        assert len(server.requests) == 14
        assert command(*plan(server, "--yes", "--max-cost", 100)) == 0
    records = ended("t")
    assert first < len(records) == 20
    calls = [turn for record in records for turn in record.turns if sum(turn.tokens)]
    assert len(calls) == len(server.requests)  # every answer was paid once
    assert sum(turn.cost for turn in calls) == pytest.approx(CALL * len(calls))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_calls_that_are_under_way_are_all_that_goes_beyond_a_budget(concurrency):
    with BadDay({}) as server:
        assert command(*plan(server, "--yes", "--max-tokens", 60, "--jobs", 2, concurrency=concurrency)) == 4
        assert 4 <= len(server.requests) < 4 + concurrency


def test_prices_address_and_name_may_change_on_the_way(capsys):
    with BadDay({}) as server:
        assert command(*plan(server, "--max-tokens", 45)) == 4
    with BadDay({}) as other:
        cheap = plan(other, "--yes", price="price_per_million=0,0&requests_per_minute=100000")
        assert command("tournament", "bargaining", f"new={str(cheap[2]).partition('=')[2]}", *cheap[3:]) == 0
    records = ended("t")
    assert len(records) == 20
    assert {label for record in records for label in record.labels} >= {"new"}
    assert " fast " not in capsys.readouterr().out


def test_a_run_with_prices_asks_after_its_first_matches(capsys, monkeypatch):
    with BadDay({}) as server:
        assert command(*plan(server)) == 4
        assert len(ended("t")) == 3
        said = capsys.readouterr().err
        says(said, "17 matches", "95%", "fair / fast", "--yes")
        asked = len(server.requests)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
        assert command(*plan(server)) == 4
        assert len(server.requests) == asked  # the same first matches: nothing is paid for the question
        monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
        assert command(*plan(server)) == 0
    assert len(ended("t")) == 20


def test_costs_by_player_and_game_stand_in_a_table_and_a_file(capsys):
    with BadDay({}) as server:
        assert command(*plan(server, "--yes")) == 0
        calls = len(server.requests)
    said = capsys.readouterr().err
    says(said, format_dollars(calls * CALL), f"{calls * 15:,} tokens", "t/costs.csv")
    with (Path("t") / "costs.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["player"], row["game"], row["matches"]) == ("fast", "bargaining", "20")
    assert row["spec"].startswith("fast=openai:")
    assert (int(row["answers"]), int(row["legal"]), int(row["prompt_tokens"])) == (calls, calls, 10 * calls)
    assert float(row["cost"]) == pytest.approx(CALL * calls)


def test_answers_that_could_not_be_used_are_counted_but_not_as_legal():
    record = econzoo.play("bargaining", ["mock:No idea.", "fair"], seed=1, max_retries=2)
    (cost,) = costs([replace(record, turns=[replace(turn, tokens=(10, 2)) for turn in record.turns])])
    assert (cost.player, cost.answers, cost.legal, cost.completion_tokens) == (record.labels[0], 3, 0, 6)


def test_a_match_and_a_judge_have_budgets_too(capsys):
    with BadDay({}) as server:
        spec = f"{server.spec}&{PRICE}"
        play = "play", "bargaining", spec, "fair", "-p", "horizon=3", "--matches", 4, "--out", "p.jsonl"
        assert command(*play, "--yes", "--max-tokens", 20, "--concurrent", 1) == 4
        assert len(server.requests) == 2
        assert command(*play) == 4
        says(capsys.readouterr().err, "1 match", "$0.15")
        assert command(*play, "--yes", "--max-tokens", 2000) == 0
        capsys.readouterr()
        asked = len(server.requests)
        judge = "judge", "p.jsonl", "--judge", f"strict={spec}", "--out", "j.jsonl", "--limit", 4
        assert command(*judge, "--yes", "--max-cost", 0.2) == 4
        assert asked < len(server.requests) <= asked + 8
        says(capsys.readouterr().err, "of $0.20")
        assert command(*judge, "--max-cost", 1000) == 4
        says(capsys.readouterr().err, "1 player", "$0.75")


def test_every_arm_is_estimated_and_counted(capsys):
    with BadDay({}) as server:
        asked = "run", "anchoring", "-p", "horizon=1", "--seeds", 10, "--out", "a"
        of_model = (f"{server.spec}&{PRICE}",)
        assert command(*asked, *of_model) == 4
        first = len(server.requests)
        assert 0 < first < 10
        says(capsys.readouterr().err, "--yes")
        # What was spent in the folders of the arms is spent: the budget is met before anybody is asked.
        assert command(*asked, *of_model, "--yes", "--max-cost", first * CALL / 2) == 4
        assert len(server.requests) == first


def test_words_are_worth_an_estimate_too(capsys):
    with BadDay({}) as server:
        spec = f"{server.spec}&{PRICE}"
        words = "run", "channel", spec, "fair", "--seeds", 4, "-p", "horizon=3", "--out", "w"
        assert command(*words) == 4
        says(capsys.readouterr().err, "--yes")


def test_matches_that_cost_money_are_kept(capsys):
    with BadDay({}) as server:
        assert command("evaluate", "bargaining", f"{server.spec}&{PRICE}") == 1
        says(capsys.readouterr().err, "--out DIR")
        assert not server.requests


def test_budgets_that_are_not_possible(capsys):
    for more, named in [
        (("--max-cost", 1), ("--max-cost", "prices")),
        (("--max-cost", -1), ("max_cost=-1.0", 0)),
        (("--max-tokens", 0), ("max_tokens=0", 0)),
    ]:
        assert command("tournament", "bargaining", "mock:*", "fair", "--out", "t", *more) == 1, more
        says(capsys.readouterr().err, *named)


def test_what_a_purse_says():
    purse = Budget(max_cost=5.0)
    purse.add(0.42, 12_400)
    assert str(purse) == "$0.42 of $5.00, 12,400 tokens"
    purse.add(5.0, 0)
    with refuses(BudgetSpentError, "$5.42 of $5.00"):
        purse.check()
    told = {0: "$0.00", 0.0123: "$0.012", 0.00004567: "$0.000046", 1234.5: "$1,234.50"}
    assert {amount: format_dollars(amount) for amount in told} == told


def test_an_estimate_by_hand():
    """Two pairings with means 2 and 10 and the pooled variance (1 + 1 + 4 + 4) / 2 = 5."""
    cheap, dear = ("a", "b"), ("a", "c")
    first = [
        (cheap, Spending(1.0, 100)),
        (cheap, Spending(3.0, 100)),
        (dear, Spending(8.0, 10)),
        (dear, Spending(12.0, 10)),
    ]
    found = estimate(first, [cheap] * 4 + [dear] * 2)
    assert (found.matches, found.sample_size, found.cost, found.tokens) == (6, 4, 4 * 2 + 2 * 10, 4 * 100 + 2 * 10)
    # Of the sum: 5 (4 + 4²/2) + 5 (2 + 2²/2) = 80; Student's t with 2 degrees of freedom is 4.30.
    assert found.high - found.cost == pytest.approx(4.30 * 80**0.5)
    assert found.low == 0.0
    first, second = describe_estimate(found)[1:]
    says(first, "a / c", "$10.00", 2)
    says(second, "a / b", "$2.00", 4)


def test_a_limit_of_tokens_a_minute():
    now, waits = [0.0], []
    bucket = TokenBucket(600, 1, lambda: now[0], waits.append)  # ten a second
    bucket.wait(50)
    bucket.take(20)
    bucket.wait(10)
    assert waits == [pytest.approx(7.0)]
