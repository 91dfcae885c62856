"""The core install: what works without the libraries of the extras, and how the rest says what it lacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

import pytest
from declared import PROJECT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from test_dependencies import imported

from econzoo.__main__ import COMMANDS, describe_error
from econzoo.__main__ import __dict__ as tables
from econzoo.envs.core import MissingLibraryError, explain_missing_library, require_libraries
from econzoo.envs.core.extras import extras, find_extra

pytestmark = pytest.mark.repo

CORE = {re.split(r"[<>=]", line)[0].replace("-", "_") for line in PROJECT["dependencies"]} | {"econzoo"}

WITHOUT = """
import contextlib, io, json, sys
from importlib.machinery import PathFinder

hidden, cases = json.load(sys.stdin)

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
from econzoo.__main__ import main

def run(arguments):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code or 0
    return code, out.getvalue(), err.getvalue()

json.dump([run(case.split()) for case in cases], sys.__stdout__)
"""
"""Runs command lines in an interpreter that finds none of the hidden libraries."""


class Case(NamedTuple):
    """A command line, and the library and the extra that it asks for; empty: it works."""

    line: str
    library: str = ""
    extra: str = ""


COMMAND_CASES = [
    Case("games"),
    Case("tournament bargaining fair spe --seeds 2 --out t"),
    Case("tournament water_allocation mpc random --seeds 1 --out w"),
    Case("play bargaining fair spe"),
    Case("replay t --seal"),
    Case("show bargaining"),
    Case("run bargaining --ceiling --opponents fair"),
    Case("status t"),
    Case("evaluate bargaining fair --opponents spe --settings default --seeds 1"),
    Case("replay t"),
    Case("games --agents"),
    Case("run anchoring fair --seeds 2 --out n"),
    Case("new-game trust_game"),
    Case("convert t glee --to glee"),
    Case("convert t tables --to csv"),
    Case("exploit fair --game bargaining --settings two-rounds", "numba", "fast"),
    Case("convert t tables --to parquet", "pyarrow", "parquet"),
    Case("convert t u/t --to hub", "huggingface_hub", "hub"),
    Case("convert t tables --to stata", "pandas", "evaluate"),
    Case("convert glee glee.jsonl"),
    Case("analyze t behaviour", "pandas", "evaluate"),
    Case("run channel fair spe --out c", "pandas", "evaluate"),
    Case("serve --no-open", "starlette", "web"),
    Case("serve player --help"),
    Case("serve openenv bargaining", "openenv", "openenv"),
    Case("serve mcp bargaining", "mcp", "mcp"),
    Case("analyze t", "pandas", "evaluate"),
    Case("analyze t programs", "pandas", "evaluate"),
    Case("run open-source --out o", "scipy", "evaluate"),
    Case("judge t", "pandas", "evaluate"),
    Case("convert t a.jsonl --from alympics", "scipy", "evaluate"),
    Case("quickstart --out q", "torch", "rl,evaluate"),
    Case("train ppo bargaining --out p", "torch", "rl"),
    Case("train ppo bargaining --algorithm sb3 --out p", "stable_baselines3", "rl"),
    Case("train sft t/records.jsonl --out s", "torch", "train"),
    Case("train dpo t/records.jsonl --out d", "torch", "train"),
    Case("train iterate --out i", "torch", "train"),
    Case("convert a m --from lora", "torch", "train"),
    Case("train tiny t/records.jsonl --out m", "tokenizers", "train"),
    Case("train grpo bargaining --out g", "torch", "train"),
    Case("run glee fair --out b", "pandas", "evaluate"),
    Case("run standard matrix=grudger --seeds 1 --out k"),
    Case("run sparc --settings Grudger --out b"),
    Case("run water mpc --out x", "matplotlib", "evaluate"),
    Case("run guess nash --out x", "matplotlib", "evaluate"),
    Case("run auction mpc --out x", "matplotlib", "evaluate"),
]
"""Every command; those that work first, since some read what others write."""

PLAYER_CASES = [
    Case("play bargaining hf:smollm2 fair", "torch", "llm"),
    Case("play bargaining openai:m@http://127.0.0.1:9 fair", "openai", "served"),
    Case("play matrix axelrod:Grudger cooperator", "axelrod", "programs"),
    Case("play program_matrix fair-bot defect", "pydantic_monty", "sandbox"),
    Case("run sparc mock:yes --settings Grudger --no-baselines --out y", "axelrod", "programs"),
]

CASES = [*COMMAND_CASES, *PLAYER_CASES]


@pytest.fixture
def declared_extras(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The extras as pyproject.toml has them, whatever it had when this package was installed."""
    found = PROJECT["optional-dependencies"].items()
    lines = [f'{line}; extra == "{extra}"' for extra, required in found for line in required]
    monkeypatch.setattr(metadata, "requires", {"econzoo": lines}.get)
    extras.cache_clear()
    yield
    extras.cache_clear()


def libraries() -> list[str]:
    """What the library imports and the core does not bring."""
    return sorted(name for name in imported() if name not in CORE)


def core() -> set[str]:
    """The distributions of the core install, and those that they need."""
    found, waiting = set[str](), [*PROJECT["dependencies"]]
    while waiting:
        one = Requirement(waiting.pop())
        name = canonicalize_name(one.name)
        if name not in found and (one.marker is None or one.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += metadata.requires(name) or []
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Command line to exit code, standard output and standard error in the core install."""
    lines = [line for libraries in PROJECT["optional-dependencies"].values() for line in libraries]
    brought = {canonicalize_name(Requirement(line).name) for line in lines} - core()
    installed = metadata.packages_distributions().items()
    hidden = [name for name, owners in installed if any(canonicalize_name(owner) in brought for owner in owners)]
    given = json.dumps([[name for name in hidden if name not in CORE], [case.line for case in CASES]])
    env = {**os.environ, "COLUMNS": "200"}
    command, folder = [sys.executable, "-c", WITHOUT], tmp_path_factory.mktemp("core")
    done = subprocess.run(command, input=given, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip([case.line for case in CASES], json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("case", CASES, ids=[case.line for case in CASES])
def test_a_command_works_without_the_extras_or_names_the_one_it_needs(
    case: Case, results: dict[str, tuple[int, str, str]]
) -> None:
    code, out, err = results[case.line]
    if not case.library:
        assert (code, err) == (0, "")
        assert out
        return
    assert code == 1
    (line,) = err.splitlines()
    wanted = f"needs the library {case.library}; install it with: pip install 'econzoo[{case.extra}]'"
    assert line.startswith("econzoo: ")
    assert line.endswith(wanted)


def test_a_tournament_without_pandas_prints_its_table(results: dict[str, tuple[int, str, str]]) -> None:
    out = results["tournament bargaining fair spe --seeds 2 --out t"][1]
    gains = dict(re.findall(r"^  (fair|spe) +(0\.\d+) ", out, re.MULTILINE))
    assert set(gains) == {"fair", "spe"}
    assert "Cross-play" in out


def test_every_command_is_tried() -> None:
    names = [name for name in COMMANDS if name.upper() not in tables]
    names += [f"{group.lower()} {name}" for group in ("TRAIN", "SERVE") for name in tables[group]]
    untried = [name for name in names if not any(f"{case.line} ".startswith(f"{name} ") for case in COMMAND_CASES)]
    assert not untried, "add a line for it to COMMAND_CASES: does it work in the core install?"


@pytest.mark.usefixtures("declared_extras")
def test_every_library_has_an_extra_that_brings_it() -> None:
    assert not [name for name in libraries() if not find_extra(name)]


@pytest.mark.usefixtures("declared_extras")
def test_the_smallest_extra_is_named() -> None:
    assert find_extra("pydantic_monty") == "sandbox"
    for library in libraries():
        extra = find_extra(library)
        rivals = [len(found) for found in extras().values() if set(extras()[extra]) > set(found)]
        assert not [size for size in rivals if size > len(extras()[extra])]


def test_an_error_of_this_package_is_not_told_as_a_missing_library() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"econzoo\.nothing"), explain_missing_library("this", "rl"):
        import econzoo.nothing  # type: ignore[import-not-found]  # noqa: F401


def test_without_an_extra_that_helps_none_is_named() -> None:
    with pytest.raises(MissingLibraryError, match=r"^this needs the library no_such_library$"):
        require_libraries("this", "no_such_library")


def test_the_reason_stays_beside_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingLibraryError, match=r"^a picture needs the library pandas; ") as caught:
        require_libraries("a picture", "pandas")
    assert caught.value.name == "pandas"
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_the_command_line_says_it_of_an_import_that_nobody_foresaw() -> None:
    told = "this command needs the library statsmodels; install it with: pip install 'econzoo[evaluate]'"
    assert describe_error(ModuleNotFoundError("No module named 'statsmodels.api'", name="statsmodels.api")) == told
