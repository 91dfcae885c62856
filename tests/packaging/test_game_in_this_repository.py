"""A game that `econzoo new-game --here` writes adds files and changes none, and goes without a trace."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from declared import FOLDERS, ROOT

pytestmark = pytest.mark.repo

PARTS = sorted({folder.split("/")[0] for folder in FOLDERS.values()})
NAME = "lottery"
PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "-m", "not long")


class Copy:
    """A copy of the sources, and an interpreter that imports it instead of this checkout."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "sources"
        for part in {*PARTS, ".ci", "docs", "tests"}:
            shutil.copytree(ROOT / part, self.root / part, ignore=shutil.ignore_patterns("__pycache__", "outside_game"))
        for file in (*ROOT.glob("*.md"), ROOT / "pyproject.toml"):
            shutil.copy(file, self.root)
        backend = runpy.run_path(str(self.root / ".ci" / "build_backend.py"))
        backend["lay_out"]()
        self.links = backend["LINKS"]

    def python(self, *arguments: str) -> str:
        """What an interpreter prints that knows the libraries of this one, and no installed econzoo."""
        libraries = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.links), *libraries])}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
        command = [sys.executable, "-S", *arguments]
        done = subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def files(self) -> dict[str, bytes]:
        """Every file by its path, without what tests keep in hidden folders."""
        found = {str(file.relative_to(self.root)): file for file in self.root.rglob("*") if file.is_file()}
        return {name: file.read_bytes() for name, file in found.items() if not name.startswith(".")}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("repository"))


@pytest.fixture
def added(copy: Copy) -> set[str]:
    """The files of a new game, which are taken away afterwards."""
    before = copy.files()
    copy.python("-m", "econzoo", "new-game", NAME, "--here", "--seats", "3")
    after = copy.files()
    assert {name: after[name] for name in before} == before
    yield set(after) - set(before)
    for name in set(after) - set(before):
        (copy.root / name).unlink()
    assert copy.files() == before
    assert f"{NAME}:" not in copy.python("-m", "econzoo", "games")


def test_a_new_game_is_listed_and_plays_and_its_tests_pass(copy: Copy, added: set[str]) -> None:
    assert f"envs/{NAME}_v0.py" in added
    folders = {f"envs/games/{NAME}", f"baselines/{NAME}", f"tests/games/{NAME}"}
    assert {str(Path(name).parent) for name in added} == {*folders, "envs", "docs/games"}
    told = "from econzoo.__main__ import main; main(['games'])"
    assert f"{NAME}: 3 seats" in copy.python("-c", told)
    chosen = [f"tests/games/{NAME}", "tests/conformance/test_every_game.py"]
    copy.python(*PYTEST, *chosen, "-k", f"{NAME} and (folder or around or not conformance)")


@pytest.mark.long
@pytest.mark.usefixtures("added")
def test_a_new_game_passes_the_tests_of_every_game(copy: Copy) -> None:
    tests = ["conformance", "goldens/test_goldens.py", "evaluate/test_space_tables.py", "evaluate/test_series.py"]
    copy.python(*PYTEST, *(f"tests/{test}" for test in tests), "-k", f"{NAME} or kept or page")
    copy.python(*PYTEST, "tests/test_api.py", "tests/test_architecture.py", "tests/core/test_versioned_modules.py")
