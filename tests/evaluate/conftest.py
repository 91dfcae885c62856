from __future__ import annotations

import pytest
from blank import make_blank

from econzoo.evaluate.run import new_design, read_folder, run


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
