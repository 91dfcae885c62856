"""Matches in several processes: what becomes of a match whose process is killed, or whose player is gone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mortal_players
import pytest
from mortal_players import FATAL, SPARED

import econzoo
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import Engine, missing_matches, new_design, play_all, run
from econzoo.evaluate.run.processes import LocalWorker
from econzoo.evaluate.run.workers import Chunk, play_chunks
from refusals import says
from toy_games import PENNIES, register_temporarily


@pytest.fixture(autouse=True)
def pennies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with register_temporarily():
        econzoo.register_game("pennies", PENNIES, players=mortal_players)
        yield


def test_a_match_that_kills_its_process_fails_and_the_others_are_played() -> None:
    """Each match comes in a process that outlived the one before or is new; the same command plays what failed."""
    design = new_design("pennies", ["mortal"], seeds=[0, FATAL, 2, 4])
    assert run(design, "o", jobs=2) == 4
    (failed,) = read_record_file("o/records.jsonl.failed")
    assert failed.seed == FATAL
    says(failed.reason, "SIGKILL")
    assert [record.seed for record in read_record_file("o/records.jsonl")] == [0, 2, 4]
    assert [match.seed for match in missing_matches(design, "o")] == [FATAL]
    Path(SPARED).touch()
    assert run(design, "o", jobs=1) == 1
    told = {record.id: record.turns[0].action for record in read_record_file("o/records.jsonl")}
    assert told == {record.id: record.turns[0].action for record in play_all(design, jobs=1)}
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_player_that_ends_the_interpreter_fails_its_match_alone(jobs: int) -> None:
    design = new_design("pennies", ["leaver"], seeds=[0, FATAL, 2, 4])
    assert run(design, "o", jobs=jobs) == 4
    (failed,) = read_record_file("o/records.jsonl.failed")
    assert failed.seed == FATAL
    says(failed.reason, "leaver", "SystemExit")
    assert [record.seed for record in read_record_file("o/records.jsonl")] == [0, 2, 4]


@pytest.mark.slow
def test_a_player_that_cannot_be_made_any_more_fails_its_matches_alone() -> None:
    """Its file is gone when the process makes it; before the run it was there."""
    Path("file").touch()
    design = new_design("pennies", ["reader('file')", "random"], opponents=["random"], seeds=1)
    Path("file").unlink()
    matches = Chunk(list(design.matches()))
    found = [line for lines in play_chunks(Engine(LocalWorker, 2), "pennies", [matches], 2) for line in lines]
    told = {record.players[0]: (record.status, record.reason) for record in map(Record.from_json, found)}
    assert told["random"] == ("finished", None)
    status, reason = told["reader('file')"]
    assert status == "failed"
    says(reason, "'file'")


def test_a_process_that_is_killed_while_it_is_at_nothing_is_dead_at_its_next_call() -> None:
    worker = LocalWorker()
    os.kill(worker.submit(os.getpid).result(), signal.SIGKILL)
    error = worker.submit(os.getpid).exception()
    assert error is not None
    says(worker.describe_death(error), "SIGKILL")


@pytest.mark.slow
def test_processes_that_cannot_be_started_end_the_run() -> None:
    """As where a script does not guard its main part."""
    Path("script.py").write_text(SCRIPT)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "script.py"], stderr=subprocess.PIPE, text=True, env=env, check=False)
    says(said.stderr.splitlines()[-1], "StoppedError", "code 1")


SCRIPT = """
from econzoo.evaluate.run.tournament import new_design, play_all

play_all(new_design("bargaining", ["fair"], seeds=1), jobs=2)
"""
