"""The folder of a server may be copied while it runs: some seconds later the file alone has what was answered."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from econzoo.people.table import Store
from econzoo.people.table import store as stores


def kept(path: Path, table: str) -> int:
    """How many rows of a table a copy of one file has; those of files beside it are not there."""
    copy = path.with_name("copy.sqlite")
    shutil.copyfile(path, copy)
    with closing(sqlite3.connect(copy)) as db:
        there = db.execute("SELECT name FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) if there else 0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "table.sqlite", durable=True)


def test_the_file_alone_has_what_was_written_some_seconds_ago(tmp_path, store, monkeypatch):
    for number in range(50):
        store.add_moment("match", 0, number, 1.0)
    store.checkpoint()
    assert kept(tmp_path / "table.sqlite", "moments") < 50  # it is not written through at every change
    monkeypatch.setattr(stores, "CHECKPOINT", 0.0)
    store.checkpoint()
    assert kept(tmp_path / "table.sqlite", "moments") == 50
    store.close()


def test_who_reads_is_not_waited_for_and_loses_nothing(tmp_path, store, monkeypatch):
    monkeypatch.setattr(stores, "CHECKPOINT", 0.0)
    store.add_moment("match", 0, 0, 1.0)
    reader = sqlite3.connect(tmp_path / "table.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM moments").fetchone() == (1,)
    store.add_moment("match", 0, 1, 1.0)
    store.checkpoint()
    reader.execute("COMMIT")
    store.add_moment("match", 0, 2, 1.0)
    store.checkpoint()
    assert kept(tmp_path / "table.sqlite", "moments") == 3
    store.add_moment("match", 0, 3, 1.0)
    store.close()  # although somebody else has the file open
    assert kept(tmp_path / "table.sqlite", "moments") == 4
    reader.close()


@pytest.mark.repo
@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed")
def test_the_documented_copy_has_everything(tmp_path):
    page = Path(__file__).resolve().parents[2] / "docs" / "hosting.md"
    command = re.search(r"^sqlite3 .*$", page.read_text(encoding="utf-8"), re.MULTILINE)[0]
    (tmp_path / "econzoo_web").mkdir()
    store = Store(tmp_path / "econzoo_web" / "table.sqlite")
    store.add_moment("match", 0, 0, 1.0)
    subprocess.run(shlex.split(command), cwd=tmp_path, check=True)
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as db:
        assert db.execute("SELECT at FROM moments").fetchall() == [(1.0,)]
    store.close()


def test_the_clock_of_a_study_writes_through(new, monkeypatch):
    monkeypatch.setattr(stores, "CHECKPOINT", 0.0)
    lab = new()
    lab.running.start()
    lab.guest("ann")
    for _ in range(100):
        if kept(lab.folder / "pilot" / "table.sqlite", "participants") == 1:
            return
        lab.running._closed.wait(0.05)
    pytest.fail("the file itself has no participant")
