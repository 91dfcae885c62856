"""A server in this process, and visitors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("httpx", reason="the test client of the web table needs httpx")

from anyio.from_thread import start_blocking_portal
from participant import Lab, study_in
from starlette.testclient import TestClient
from visitor import Visitor

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import new_match
from econzoo.people.participation import blinded_view, presence, seating
from econzoo.people.server import STORE
from econzoo.people.table import Store, hindsight
from econzoo.people.table_server import build_folder_app

Visit = Callable[[], Visitor]
Keep = Callable[..., str]


@pytest.fixture(scope="session", autouse=True)
def one_loop() -> Iterator[None]:
    """All requests run in one event loop, as those of a server do, and not each in a thread and a loop of its own."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


@pytest.fixture(autouse=True)
def unsearched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is searched for in processes of their own, but where a test says so."""
    monkeypatch.setattr(hindsight, "SEARCH_SECONDS", 0.0)
    hindsight.start_search.cache_clear()


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    """Makes visitors of one server, each with a browser of their own."""
    app = build_folder_app(tmp_path)
    return lambda: Visitor(TestClient(app))


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Keeps matches that have ended in the folder of the server; gives the id that each has there."""

    def kept(record: Record, line: str = "") -> str:
        store = Store(tmp_path / STORE)
        match = new_match(record.game, record.players, record.seed, **record.params, **record.options)
        id, _ = store.add_match(match, [])
        store.close()
        with sqlite3.connect(tmp_path / STORE) as db:
            db.execute("UPDATE matches SET record = ? WHERE id = ?", (line or record.to_json(), id))
        return id

    return kept


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets time pass for matches."""
    passed = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed[0])
    for module in ("table.live", "table.player_threads", "table.seat_view", "table.person", "table.clocks"):
        monkeypatch.setattr(f"econzoo.people.{module}.time", SimpleNamespace(**{**vars(time), **vars(clock)}))
    monkeypatch.setattr("econzoo.people.table.tables.TICK", 0.01)
    monkeypatch.setattr("econzoo.people.table.live.GRACE", 0.0)
    # Nobody is away because the machine is slow.
    monkeypatch.setattr("econzoo.people.participation.presence.time", SimpleNamespace(monotonic=lambda: passed[0]))
    return lambda seconds: passed.__setitem__(0, passed[0] + seconds)


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Lab]]:
    """Makes studies that run in this process, in which programs answer at once."""
    monkeypatch.setattr(blinded_view, "ANSWER_DELAY", (0.0, 0.0))
    monkeypatch.setattr(seating, "MINIMUM_WAIT", (0.0, 0.0))
    monkeypatch.setattr(presence, "AWAY_SECONDS", 30.0)  # pages here are not open all the time, and machines are busy
    made: list[Lab] = []

    def lab(**given: Any) -> Lab:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Lab(folder, study_in(folder, **given)))
        return made[-1]

    yield lab
    for one in made:
        one.running.close()
