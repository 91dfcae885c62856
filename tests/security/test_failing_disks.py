"""Every command that writes, on a disk that fails at each of its calls in turn (full, read-only, EIO, renames)."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import glee_files
import pytest

from econzoo.envs.core import write_files
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import play_match
from refusals import refuses
from security.test_full_disks import COMMANDS, SLOW, econzoo, files_in

HERE = Path(__file__).parent


def test_of_a_group_all_files_are_there_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the disk fails between two moves: what was new is gone, and what was replaced is back."""
    (tmp_path / "old").write_text("old")
    replace, files = os.replace, {tmp_path / name: "x" for name in ("a", "old", "b", "c")}
    for failing in range(len(files)):
        calls = itertools.count()

        def move(part: Any, place: Any, calls: Any = calls, failing: int = failing) -> None:
            if next(calls) == failing:
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(place))
            replace(part, place)

        monkeypatch.setattr(os, "replace", move)
        with refuses(OSError, tmp_path):
            write_files(files)
        assert files_in(tmp_path) == {"old": b"old"}
    monkeypatch.setattr(os, "replace", replace)
    write_files(files)
    assert files_in(tmp_path) == dict.fromkeys(("a", "old", "b", "c"), b"x")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("library") / "failing_disk.so"
    compiler = shutil.which("cc")
    if sys.platform != "linux" or not compiler:
        pytest.skip("needs Linux and a C compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, HERE / "failing_disk.c", "-ldl"], check=True)
    return made


LONG = ("tournament",)
"""Not yet tried: analyses, Parquet and Stata files, runs in processes, trainings."""


@pytest.mark.slow
@pytest.mark.parametrize("command", [*COMMANDS, *(pytest.param(one, marks=pytest.mark.long) for one in LONG)])
def test_a_command_on_a_failing_disk_ends_in_a_line_and_goes_on_afterwards(
    command: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half, nothing lost, no drafts left behind, and the same files once the disk works."""
    (prepared := tmp_path / "prepared").mkdir()
    monkeypatch.chdir(prepared)
    assert econzoo("study", "init", "bargaining", "--out", "study.toml") == 0
    RecordFile(prepared / "r.jsonl").append(play_match("bargaining", ["spe", "spe"], channel="off"))
    glee_files.bargaining((60, 40), "accept").save(prepared / "games")
    line = [sys.executable, HERE / "failing_disk.py", prepared, tmp_path / "o"]
    env = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": os.pathsep.join(sys.path)}
    words = json.dumps([command, {**COMMANDS, **SLOW}[command][0]])
    done = subprocess.run(line, input=words, env=env, capture_output=True, text=True, check=False)
    (name, failures), *wrong = [json.loads(one) for one in done.stdout.splitlines()]
    assert (name, wrong) == (command, []), done.stderr
    assert failures >= 8
