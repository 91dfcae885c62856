"""Operators of servers in this process."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("httpx", reason="the test client of the web table needs httpx")

from operating import SMALL, Operator

from econzoo.people.manage import pages
from econzoo.people.manage.forecast import forecast
from econzoo.people.manage.results import Results


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tables and figures are made in the background."""
    monkeypatch.setattr(Results, "look", lambda self, ended, busy: 0)


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """For whom what is known before a collection starts is found in this process."""
    monkeypatch.setattr(pages, "ask_forecast", forecast)
    return Operator(tmp_path)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """A server with one collection that is done, for tests that only read it."""
    one = Operator(tmp_path_factory.mktemp("played"))
    one.id = one.order(**SMALL)
    one.wait(one.id)
    return one


@pytest.fixture
def of_small(tmp_path: Path, played: Operator) -> Operator:
    """A server of its own with a copy of that collection."""
    shutil.copytree(played.folder / "collections", tmp_path / "collections")
    one = Operator(tmp_path)
    one.id = played.id
    return one
