"""Runs beside others, copied while they write, under clocks that jump, and anywhere: always the same records."""

from __future__ import annotations

import csv
import itertools
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from given_commands import lasting

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import missing_matches, new_design, replay, run

pytestmark = pytest.mark.slow

WORDS = ("tournament", "bargaining", "fair", "random", "spe", "--seeds", "100", "--out", "o")
"""Takes seconds, so that others come while it writes."""


def begun(folder: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "econzoo", *words]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(line, cwd=folder, env={**os.environ, **variables}, **pipes)


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    told = process.communicate(timeout=600)[1]
    assert "Traceback" not in told, told
    return process.returncode, told.strip().splitlines()


def played(folder: Path) -> list[str]:
    """The matches of a folder, each of which replays and is there once; without times."""
    records = [record for path in sorted(folder.glob("*.jsonl")) for record in read_record_file(path)]
    assert len({record.id for record in records}) == len(records)
    assert not [record.id for record in records if replay(record)]
    return lasting(record.to_json() for record in records)


def lasting_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table in an order of their own, without times."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]
    return sorted(rows, key=repr)


def has_begun(folder: Path, records: int = 1) -> bool:
    """Waits until a run has written so many records; whether it has."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        files = [*folder.glob("*.jsonl")]
        if sum(path.read_bytes().count(b"\n") for path in files) >= records:
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("whole")
    assert ended(begun(folder, *WORDS))[0] == 0
    return played(folder / "o")


def test_of_two_runs_in_one_folder_one_plays_each_match(tmp_path: Path, whole: list[str]) -> None:
    """The second is refused in one line while the first writes, and finds all done afterwards."""
    first = begun(tmp_path, *WORDS)
    assert has_begun(tmp_path / "o")
    refused, told = ended(begun(tmp_path, *WORDS))
    assert ended(first)[0] == 0
    if refused:
        assert "another process is writing to it" in told[-1]
    assert ended(begun(tmp_path, *WORDS))[0] == 0
    assert played(tmp_path / "o") == whole


def test_runs_that_begin_at_once_neither_lose_nor_double_a_match(tmp_path: Path, whole: list[str]) -> None:
    ends = [ended(one) for one in [begun(tmp_path, *WORDS, "--jobs", str(jobs)) for jobs in (1, 2, 1)]]
    assert 0 in [code for code, _ in ends]
    assert all("another process is writing to it" in told[-1] for code, told in ends if code)
    assert ended(begun(tmp_path, *WORDS))[0] == 0
    assert played(tmp_path / "o") == whole


def test_a_folder_copied_while_a_run_writes_is_completed(tmp_path: Path, whole: list[str]) -> None:
    """File by file, at several moments: each copy holds whole records, and the same command completes it."""
    writing, copies = begun(tmp_path, *WORDS, "--jobs", "2"), list[Path]()
    for records in (1, 150, 500):
        assert has_begun(tmp_path / "o", records)
        copies.append(tmp_path / f"copy{records}")
        copies[-1].mkdir()
        shutil.copytree(tmp_path / "o", copies[-1] / "o")
    assert ended(writing)[0] == 0
    for copy in copies:
        assert ended(begun(copy, *WORDS))[0] == 0
        assert played(copy / "o") == whole


# Clocks


def jumping(luck: random.Random) -> Callable[[], float]:
    """A clock that jumps by up to ten years, back and forth, whenever somebody looks."""
    return lambda: 1.8e9 + luck.uniform(-3e8, 3e8)


def test_a_clock_that_jumps_changes_no_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model that is asked, so that costs, waits and times of calls are taken too."""
    plan = new_design("bargaining", ["fair", "mock:*", "random"], seeds=2)
    run(plan, tmp_path / "good", jobs=1)
    for seed in range(3):
        clock = jumping(random.Random(seed))
        monkeypatch.setattr(time, "time", clock)
        monkeypatch.setattr(time, "time_ns", lambda clock=clock: int(clock() * 1e9))
        folder = tmp_path / f"{seed}"
        run(plan, folder, jobs=1)
        assert missing_matches(plan, folder) == []
        assert played(folder) == played(tmp_path / "good")
        assert all(turn.seconds >= 0 for record in read_record_file(folder / "records.jsonl") for turn in record.turns)


def test_a_file_from_the_future_is_resumed(tmp_path: Path) -> None:
    """As after a clock was set back, and on a copy with other times."""
    plan = new_design("bargaining", ["fair", "random"], seeds=2)
    run(plan, tmp_path, jobs=1)
    path = tmp_path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for at in (2**31 + 10, 0, -(2**31)):
        path.write_bytes(b"".join(lines[:3]))
        os.utime(path, (at, at))
        assert run(plan, tmp_path, jobs=1) == len(lines) - 3
        assert missing_matches(plan, tmp_path) == []


# Everywhere


def surroundings() -> Iterator[dict[str, str]]:
    """Variables that must not matter, each value of each at least once."""
    values = {
        "PYTHONHASHSEED": ("0", "1", "4294967295"),
        "LC_ALL": ("C", "tr_TR.UTF-8", "de_DE.ISO-8859-1"),
        "TZ": ("UTC", "Pacific/Kiritimati", "America/St_Johns"),
        "OMP_NUM_THREADS": ("1", "2", "4"),
        "COLUMNS": ("20", "80", "500"),
        "PYTHONOPTIMIZE": ("", "1", "2"),
        "JOBS": ("1", "2", "3"),
    }
    yield from (dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True))
    yield dict(zip(values, map(random.Random(1).choice, values.values()), strict=True))


GAMES = {
    "bargaining": ("spe", "random", "quantal"),
    "double_auction": ("random", "truthful"),
    "matrix": ("tit-for-tat", "random"),
}


@pytest.mark.long
def test_records_and_tables_are_the_same_everywhere(tmp_path: Path) -> None:
    """Over hash seeds, locales, time zones, threads, widths of terminals, assertions and processes."""
    found = []
    for number, variables in enumerate(surroundings()):
        folder, jobs = tmp_path / f"{number}", variables.pop("JOBS")
        folder.mkdir()
        for game, players in GAMES.items():
            words = ("tournament", game, *players, "--seeds", "3", "--jobs", jobs, "--out", f"runs/{game}")
            assert ended(begun(folder, *words, **variables))[0] == 0
            assert ended(begun(folder, "convert", f"runs/{game}", f"tables/{game}", "--to", "csv", **variables))[0] == 0
        tables = {str(path.relative_to(folder)): lasting_rows(path) for path in folder.glob("tables/*/*.csv")}
        assert tables
        found.append(([played(folder / "runs" / game) for game in GAMES], tables))
    for first, second in itertools.pairwise(found):
        assert first == second
