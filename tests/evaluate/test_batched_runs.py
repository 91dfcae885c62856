"""Runs with `--batch`: the records of direct calls, one batch a round, refusals, and a run that is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from batch_server import Batch, BatchServer, completion

from econzoo.__main__ import main
from econzoo.baselines.models import batch as batches
from econzoo.envs.core.record import read_record_file
from models.faults import BadDay
from refusals import says

PRICE = "&price_per_million=10,20"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(batches, "FIRST_PAUSE", 0.005)
    monkeypatch.setattr(batches, "LONGEST_PAUSE", 0.005)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def reply(body: dict[str, Any]) -> tuple[int, Any]:
    return 200, completion(BadDay.said(body), read=len(json.dumps(body["messages"])) // 4)


def command(*words: object) -> int:
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def run(server: BatchServer, out: str, *more: object, horizon: int = 3, seeds: int = 10) -> int:
    meets = "--opponents", "fair", "-p", f"horizon={horizon}", "--seeds", seeds
    return command("run", "bargaining", server.spec(PRICE), *meets, "--yes", "--out", out, *more)


def played(folder: str) -> dict[str, Any]:
    """Records by id, without what a batch may change."""
    found = {}
    for record in read_record_file(Path(folder) / "records.jsonl"):
        plain = json.loads(record.to_json())
        del plain["seconds"]
        for turn in plain["turns"]:
            for name in ("seconds", "cost", "served"):
                turn.pop(name, None)
        found[record.id] = plain
    return found


def cost(folder: str) -> float:
    return sum(turn.cost for record in read_record_file(Path(folder) / "records.jsonl") for turn in record.turns)


def test_records_are_those_of_direct_calls_at_half_the_price():
    with BatchServer(reply) as server:
        assert run(server, "direct") == 0
        asked = len(server.single)
        assert run(server, "batched", "--batch") == 0
        assert len(server.single) == asked == sum(server.sizes)
    assert played("batched") == played("direct")
    assert len(played("direct")) == 20
    assert cost("direct") > 0
    assert cost("batched") == pytest.approx(cost("direct") / 2)


def test_a_round_of_all_matches_is_one_batch():
    with BatchServer(reply) as server:
        assert run(server, "many", "--batch", seeds=30) == 0
        assert max(server.sizes) == server.sizes[0] == 60  # both seats: the first offer, or the reply to that of fair
        assert len(server.sizes) <= 2 * 3 * 4  # rounds, and retries of invalid answers


def test_batches_of_two_models_run_at_the_same_time():
    open_at_once: list[int] = []

    def plan(batch: Batch) -> None:
        open_at_once.append(sum(one.looks > 0 for one in server.batches))
        batch.looks = 40

    with BatchServer(reply, plan) as server:
        specs = server.spec(), server.spec("&temperature=0.5")
        meets = "--opponents", "fair", "-p", "horizon=1", "--seeds", 2, "--out", "two"
        assert command("run", "bargaining", *specs, *meets, "--batch") == 0
    assert max(open_at_once) == 2


def test_a_budget_is_exceeded_by_one_call_at_most(capsys):
    with BatchServer(lambda body: (200, completion(BadDay.said(body)))) as server:
        how = {"horizon": 1, "seeds": 30}
        assert run(server, "limited", "--batch", "--max-tokens", 3000, **how) == 4
        assert sum(server.sizes) == 25  # of 120 tokens each
        says(capsys.readouterr().err, "3,000", "--max-tokens")
        assert run(server, "limited", "--batch", "--max-tokens", 10**6, **how) == 0
        assert run(server, "direct", **how) == 0
        assert sum(server.sizes) == len(server.single)
    assert played("limited") == played("direct")


@pytest.mark.parametrize(
    ("players", "named"),
    [
        (["spe", "fair"], ["--batch"]),
        (["hf:smollm2", "fair"], ["--batch", "hf:smollm2"]),
        (["openai:m@http://127.0.0.1:9/v1", "fair"], ["--batch", "OpenAI"]),
        (["openai:m@https://openrouter.ai/api/v1", "fair"], ["--batch", "OpenRouter"]),
        (["openai:m?batch_price=2", "fair"], ["batch_price", "2.0"]),
    ],
)
def test_players_without_a_batch_interface_are_refused(capsys, players, named):
    for words in (["run", "bargaining", *players], ["play", "bargaining", *players]):
        assert command(*words, "--batch") == 1
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        says(told, *named)


def test_a_judge_asks_in_batches_too():
    def score(body: dict[str, Any]) -> tuple[int, Any]:
        return 200, completion('{"reason": "fair", "score": 3}')

    assert command("run", "bargaining", "spe", "fair", "--seeds", "3", "--out", "judged") == 0
    with BatchServer(score) as server:
        assert command("judge", "judged", "--judge", server.spec(), "--batch") == 0
        assert server.single == []
        assert max(server.sizes) > 1


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_waits_pays_nothing_twice(tmp_path):
    """Killed whenever a batch runs, until all are over; batches last longer than the process."""
    killed: list[int] = []
    running: list[subprocess.Popen[bytes]] = []

    def plan(batch: Batch) -> None:
        if len(killed) < 3:
            batch.looks = 3
            threading.Thread(target=kill, args=(batch,), daemon=True).start()

    def kill(batch: Batch) -> None:
        while batch.looks == 3:
            time.sleep(0.01)
        killed.append(running[-1].pid)
        os.kill(running[-1].pid, signal.SIGKILL)

    code = "from econzoo.baselines.models import batch; batch.FIRST_PAUSE = batch.LONGEST_PAUSE = 0.5; "
    with BatchServer(reply, plan) as server:
        words = ["run", "bargaining", server.spec(PRICE), "--opponents", "fair", "-p", "horizon=3", "--seeds", "10"]
        code += f"from econzoo.__main__ import main; main({[*words, '--yes', '--batch', '--out', 'killed']!r})"
        codes = []
        while len(codes) < 10 and 0 not in codes:
            running.append(subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.DEVNULL))
            codes.append(running[-1].wait())
        assert codes == [-signal.SIGKILL] * 3 + [0]
        assert run(server, "direct") == 0
        assert sum(server.sizes) == len(server.single)
    assert played("killed") == played("direct")
    assert cost("killed") == pytest.approx(cost("direct") / 2)
