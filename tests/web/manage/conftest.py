"""Operators of servers in this process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("httpx", reason="the test client of the web table needs httpx")

from operating import SMALL, Operator

from econzoo.__main__ import main
from econzoo.people.manage import collection_pages, judge_pages, runs
from econzoo.people.manage.forecast import forecast
from econzoo.people.manage.results import Results


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tables and figures are made in the background."""
    monkeypatch.setattr(Results, "refresh", lambda self, ended, busy: 0)


def run(line: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
    """What a command comes to, in this process: one of its own has to import everything."""
    assert line[:3] == [sys.executable, "-m", "econzoo"]
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err, pytest.raises(SystemExit) as ended:
        main(list(line[3:]))
    return subprocess.CompletedProcess(line, ended.value.code, out.getvalue(), err.getvalue())


def start(folder: Path, command: Sequence[str], ended: int) -> runs.Run:
    """Runs a command to its end; nothing has the number of its process."""
    done = run(command)
    with (folder / runs.LOG).open("a", encoding="utf-8") as log:
        log.write(done.stdout + done.stderr)
    made = runs.Run(2**30, list(command), 0.0, ended)
    runs._write(folder, made)
    return made


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is given to processes of their own."""
    monkeypatch.setattr(collection_pages, "run_forecast", forecast)
    monkeypatch.setattr(runs, "start", start)
    for module in (collection_pages, judge_pages):
        monkeypatch.setattr(module, "subprocess", SimpleNamespace(run=run))


@pytest.fixture
def operator(tmp_path: Path, in_process: None) -> Operator:
    """Somebody who has signed in."""
    return Operator(tmp_path)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """A server with one collection that is done, for tests that only read it."""
    one = Operator(tmp_path_factory.mktemp("played"))
    one.id = one.order(**SMALL)
    one.wait(one.id)
    return one


@pytest.fixture
def of_small(tmp_path: Path, played: Operator, in_process: None) -> Operator:
    """A server of its own with a copy of that collection."""
    shutil.copytree(played.folder / "collections", tmp_path / "collections")
    one = Operator(tmp_path)
    one.id = played.id
    return one
