"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from loops import loops_compiled

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it, as would their children
os.environ.pop("COLUMNS", None)  # which processes of pytest-xdist have, and no terminal
os.environ.setdefault("OMP_NUM_THREADS", "1")  # of torch and BLAS: processes of tests share the cores
os.environ.setdefault("ECONZOO_CACHE", str(Path(__file__).parents[1] / ".pytest_cache" / "econzoo"))  # compiled loops

sys.path.insert(0, str(Path(__file__).parent))  # `toy_games` and `conformance.playing` import in any import mode

TRAINING = ("torch", "transformers", "trl", "stable_baselines3", "sb3_contrib")

collect_ignore = ["outside_game"]  # a package of its own; `packaging/test_outside_game.py` runs its tests

settings.register_profile(
    "repeatable",
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("exhaustive", settings.get_profile("repeatable"), max_examples=100)  # .ci/run --long
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Looks for no garbage while tests are collected, nor afterwards among what that made, and seldom at all."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20)
        gc.enable()


@cache
def needs_torch(file: str) -> bool:
    """Whether a file has tests that do; Axelrod's library does, and takes twenty seconds."""
    text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
    return "pytest.mark.models" in text or "axelrod" in text.lower()


class OneForTorch(LoadFileScheduling):
    """Runs a file in one process, the conformance suite by games, and together all that train, need torch or run pages.

    To import torch takes seconds, and so does the process from which all that pages run is forked.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        if file.endswith("test_every_game.py"):
            return test.partition("-")[0]
        if file.startswith("tests/documentation/"):
            return "documentation"
        if file.startswith("tests/train/"):
            return "train"
        return "torch" if needs_torch(file) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """By file, as it is asked for by default."""
    return OneForTorch(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A test that finds no file, key, server or cache but its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what needs torch and all that trains with it where that is not installed."""
    lacking = [name for name in TRAINING if not find_spec(name)] if item.get_closest_marker("models") else []
    if lacking:
        pytest.skip(f"needs {', '.join(lacking)}")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Skips what needs a library that is not installed: Axelrod's programs to read, the sandbox for programs."""
    try:
        return (yield)
    except ImportError as missing:
        if missing.name not in ("axelrod", "program_matrix", "program_coin"):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def interpreted() -> Iterator[None]:
    """Loops over many games run as Python in a file's tests, without seconds of compiling, but for ``.ci/run --long``.

    That compiled games are these games is what the conformance suite shows.
    """
    with loops_compiled(settings.default is settings.get_profile("exhaustive")):
        yield


@pytest.fixture(scope="session")
def axelrod() -> ModuleType:
    """The Axelrod library, whose import takes seconds: no test file does it by itself."""
    from econzoo.envs.games.code_reading.programs import execution

    try:
        return execution.import_axelrod()
    except ImportError as missing:
        pytest.skip(str(missing))
