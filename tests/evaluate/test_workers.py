"""Chunks of matches on workers that die: what is played again, what fails, and who takes over."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from econzoo.baselines import RefusedError, read_call_log, without_call_log
from econzoo.evaluate.run import MAX_WORKER_TRIES, Engine, Match, new_design, new_match, play_lines, results, run
from econzoo.evaluate.run.engine import use_engine
from econzoo.evaluate.run.match import PATIENCE
from econzoo.evaluate.run.processes import LocalWorker
from econzoo.evaluate.run.workers import ALONE, Chunk, ChunkResult, play_chunks
from refusals import says

FIRST = new_match("bargaining", ["fair", "fair"], 0)


def matches(count: int) -> list[Match]:
    return [FIRST._replace(seed=seed) for seed in range(count)]


def seeds(lines: list[str], status: str) -> list[int]:
    return [one["seed"] for one in map(json.loads, lines) if one["status"] == status]


def test_scripted_players_are_played_one_by_one_once_their_worker_has_died() -> None:
    """Of three matches that were not heard of, the second one kills: it alone fails, and the rest goes on as before."""
    chunk = Chunk(matches(3))
    assert chunk.work_order() == (ALONE, PATIENCE, matches(3))
    chunk.handle_death("was killed")
    assert chunk.work_order() == (ALONE, 0.0, matches(3))
    chunk.receive(ChunkResult(["a record"], chunk.remaining[1:], []))
    chunk.handle_death("was killed")
    said, failed = chunk.take_lines()
    assert (said, seeds([failed], "failed")) == ("a record", [1])
    says(json.loads(failed)["reason"], "was killed")
    assert chunk.work_order() == (ALONE, 0.0, matches(3)[2:])
    chunk.receive(ChunkResult(["another"], [], []))
    assert chunk.remaining == []


def test_the_first_death_of_a_worker_is_no_fault_of_the_many_matches_of_its_model() -> None:
    chunk = Chunk(matches(9), concurrent=4)
    chunk.handle_death("was killed")
    assert chunk.work_order() == (4, 0.0, matches(9))
    chunk.handle_death("was killed")
    assert chunk.work_order() == (ALONE, 0.0, matches(9)[:4])
    assert chunk.take_lines() == []
    chunk.receive(ChunkResult(["four records"], [], []))
    assert chunk.work_order() == (4, 0.0, matches(9)[4:])


@pytest.mark.parametrize("count", range(6))
def test_two_parts_of_a_chunk_are_the_whole(count: int) -> None:
    chunk = Chunk(matches(count))
    rest = chunk.split()
    assert (rest is None) == (count < 2)
    assert chunk.remaining + (rest.remaining if rest else []) == matches(count)
    assert rest is None or 0 <= len(chunk.remaining) - len(rest.remaining) <= 1


def test_nothing_is_parted_that_has_begun() -> None:
    assert Chunk(matches(4), concurrent=2).split() is None


class KilledError(Exception):
    """What a call raises that kills a `Mortal`."""


class Mortal:
    """A worker in this process."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args))
        except (KilledError, ValueError) as error:
            done.set_exception(error)
        return done

    def describe_death(self, error: BaseException) -> str:
        if not isinstance(error, KilledError):
            raise error
        return "was killed"

    def kill(self) -> None:
        pass

    close = kill


def test_a_part_that_fails_or_kills_its_workers_leaves_the_others() -> None:
    told: list[tuple[int, str]] = []

    def call(part: int) -> int:
        if part in (1, 2):
            raise (ValueError, KilledError)[part - 1]("of the call")
        return part

    engine = Engine(lambda gpus: Mortal(), jobs=2)
    parts = [(part,) for part in range(4)]
    found = dict(results(engine, call, parts, 2, on_death=lambda place, why: told.append((place, why))))
    assert (found.pop(0), found.pop(3)) == (0, 3)
    says(found.pop(1), "of the call")
    says(found.pop(2), MAX_WORKER_TRIES, "was killed")
    assert (found, told) == ({}, [(2, "was killed")] * MAX_WORKER_TRIES)


def test_an_engine_without_work_starts_nobody() -> None:
    assert list(play_chunks(Engine(LocalWorker, 2), "bargaining", [], 0)) == []


@pytest.mark.slow
def test_models_have_a_gpu_each_where_there_are_any() -> None:
    """A model that cannot be loaded in one of them ends the run, as it does here."""
    asked: list[int] = []

    def worker(gpus: int) -> LocalWorker:
        asked.append(gpus)
        return LocalWorker()

    spec = "hf:/no/such/folder"
    design = [match._replace(players=("fair", who)) for match in matches(4) for who in ("fair", spec)]
    with use_engine(Engine(worker, jobs=3, gpus=2, remote=True)), pytest.raises(RefusedError, match="no such model"):
        list(play_lines(design, "bargaining", Batched, None, 1))
    assert asked == [0, 1, 1]


@pytest.mark.slow
def test_calls_made_in_workers_are_in_the_log_of_the_run_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_API_KEY", "hello-secret")
    spec = 'mock:hello-secret|{"kind": "accept"}'
    design = new_design("bargaining", [spec, "fair"], lineups=[(spec, "fair")], seeds=3)
    run(design, tmp_path / "here", jobs=1)
    remote = Engine(lambda gpus: LocalWorker(), jobs=2, remote=True)
    with use_engine(remote):
        run(design, tmp_path / "far", jobs=2)
        with without_call_log():
            run(design, tmp_path / "off", jobs=2)
    here, far, off = (
        [one._replace(started=0.0, seconds=0.0) for one in read_call_log(tmp_path / name)]
        for name in ("here", "far", "off")
    )
    assert len(here) > 3
    assert "[key]" in str(here[0].response)
    assert (far, off) == (here, [])


class Batched:
    """Stands for the players of this process, which play nothing; all but the script are asked in batches."""

    deterministic = True

    def __init__(self, spec: str) -> None:
        self.batch_key = None if spec == "fair" else spec
