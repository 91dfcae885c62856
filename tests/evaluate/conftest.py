from __future__ import annotations

from pathlib import Path

import pytest
from blank import make_blank

from econzoo.evaluate.run.design import new_design
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.tournament import run


@pytest.fixture
def blank_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody looks at them, figures are made as ever and saved blank: to render them takes most of the time."""
    make_blank(monkeypatch)


@pytest.fixture(scope="session")
def small_design():
    return new_design("bargaining", ["fair", "greedy", "random"], ["default", "ultimatum"], seeds=4)


@pytest.fixture(scope="session")
def small_folder(small_design, tmp_path_factory):
    """A finished tournament of three players in two markets with four seeds: 72 matches."""
    folder = tmp_path_factory.mktemp("small")
    run(small_design, folder, jobs=1)
    return folder


@pytest.fixture(scope="session")
def small_records(small_folder):
    return read_folder(small_folder)[0]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A test that finds no file, key, server or cache but its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
