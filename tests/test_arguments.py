"""Every exported function names a wrong argument and what is allowed, ahead of anything else."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin
from unittest.mock import Mock

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.record.record import read_record_file
from econzoo.evaluate import Figure, Records, Table, analyze, new_design, read_records
from econzoo.people.study.study_file import read_study
from econzoo.train import train_ppo
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses
from test_api import exported

pytestmark = pytest.mark.repo

CORE = ("econzoo.envs.games.", "econzoo.envs.core.contract.", "econzoo.envs.core.faces.", "econzoo.envs.core.amounts")
"""Arithmetic of rules, solutions and texts: compiled, or called a million times a second."""

OWN_CHECKS = {
    *("make", "make_parallel", "make_raw", "make_vec", "make_constructors", "make_single_agent", "game"),
    *("register_game", "player", "pool", "play", "play_match", "play_matches", "new_match", "new_design"),
    *("matrix_from_payoffs", "matrix_from_round_robin", "round_robin", "access_score", "players_of"),
}
"""They list what is allowed themselves (`test_wrong_arguments`)."""

INTERRUPTED_SECONDS = 8.0
"""Until a command has begun its work, on a slow machine too."""

WRONG: tuple[Any, ...] = (None, 3, "words", ["a", "list"], {"a": "mapping"}, object())


def functions() -> list[str]:
    found = (path for path, one in exported().items() if one.is_function and not path.startswith(CORE))
    return sorted(path for path in found if path.rpartition(".")[2] not in OWN_CHECKS)


def load(path: str) -> Callable[..., Any]:
    """The function, or skip where its library is missing."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        pytest.skip(str(error))


def fitting(kind: Any) -> Any:
    """A value of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return fitting(args[0])
    kind = origin or kind
    simple: dict[Any, Any] = {str: "words", int: 3, float: 0.5, bool: True, Any: 3, Path: Path("none"), None: None}
    if kind in simple:
        return simple[kind]
    if kind in (list, tuple, Sequence, Collection, Iterable):
        return []
    return {} if kind is Mapping else Mock(spec=kind)


def takes(value: Any, kind: Any) -> bool:
    """Whether a type, read by hand, has a value of `WRONG`."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(takes(value, one) for one in args)
    if origin is Annotated:
        return takes(value, args[0])
    if kind is Any or not isinstance(origin or kind, type | types.NoneType) or getattr(kind, "_is_protocol", False):
        return True
    if kind is float:
        return isinstance(value, int)
    if kind is None or not isinstance(value, str):
        items = value if isinstance(value, list) and args else ()
        return isinstance(value, origin or kind or types.NoneType) and (not items or takes("a", args[0]))
    return kind is str


@pytest.mark.parametrize("path", functions())
def test_a_wrong_argument_is_named(path: str) -> None:
    function = load(path)
    call, known = signature(function), function.__wrapped__.__globals__
    checked, kinds = 0, dict[str, Any]()
    for name, one in call.parameters.items():
        try:
            kinds[name] = eval(one.annotation, known)
        except NameError:
            kinds[name] = Any
    for name, one in call.parameters.items():
        if one.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        for wrong in WRONG:
            if takes(wrong, kinds[name]) or wrong is one.default:
                continue
            bound = call.bind_partial()
            for other, its in call.parameters.items():
                if other == name or (its.default is Parameter.empty and its.kind not in (2, 4)):
                    bound.arguments[other] = wrong if other == name else fitting(kinds[other])
            with refuses(ValueError, name, str(one.annotation)):
                function(*bound.args, **bound.kwargs)
            checked += 1
    assert checked or not kinds or all(kind is Any for kind in kinds.values()), "nothing to check"


def test_a_missing_or_unknown_argument_is_named_with_the_call_to_use() -> None:
    with refuses(TypeError, "'out'", "run(design, out, ...)"):
        econzoo.run(new_design("bargaining", ["fair"]))
    with refuses(TypeError, "'foldr'", "read_records(folder, ...)"):
        read_records("out", foldr="out")
    with refuses(ValueError, "design='bargaining'", "players=[...]"):
        econzoo.run("bargaining", "out")
    with refuses(ValueError, "design=[1]", "new_design"):
        econzoo.run([1], "out")
    with refuses(TypeError, "seeds", "new_design"):
        econzoo.run(new_design("bargaining", ["fair"]), "out", seeds=3)
    with refuses(ValueError, "timestep", "timesteps"):
        train_ppo("bargaining", timestep=3)
    with refuses(TypeError, "timesteps", "PPORecipe"):
        train_ppo(PPORecipe("bargaining"), timesteps=3)


def test_a_path_that_is_missing_is_named(tmp_path: Path) -> None:
    for call in (analyze, read_records, read_record_file, read_study):
        with refuses(OSError, str(tmp_path / "none")):
            [*call(tmp_path / "none.yaml")]


def test_natural_forms(tmp_path: Path) -> None:
    """A record or a list of them, the name of a game with players or options, as their longer forms."""
    record = econzoo.play("bargaining", ["fair", "spe"])
    assert analyze(record).to_dict() == analyze([record]).to_dict() == analyze(Records([record])).to_dict()
    short = econzoo.run("bargaining", tmp_path / "short", players=["fair", "spe"], seeds=2)
    whole = econzoo.run(new_design("bargaining", ["fair", "spe"], seeds=2), tmp_path / "whole")
    assert [one.id for one in short] == [one.id for one in whole]


def test_numbers_of_numpy_are_numbers() -> None:
    @check_arguments
    def half(count: int, share: float) -> float:
        return count * share

    assert half(np.int64(4), np.float32(0.5)) == half(4, 0.5) == half(4, 1) / 2
    with refuses(ValueError, "half", "count=True", "int"):
        half(True, 0.5)


def test_several_processes_from_standard_input(tmp_path: Path) -> None:
    """There is no main module that they could import."""
    code = "import econzoo; print(len(econzoo.run('bargaining', 'out', players=['fair', 'spe'], seeds=40, jobs=2)))"
    found = subprocess.run([sys.executable], input=code, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split()[-1] == "160"


def test_a_script_without_a_guard_is_told_to_have_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import econzoo\neconzoo.run('bargaining', 'out', players=['fair', 'spe'], seeds=40, jobs=2)\n")
    found = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'if __name__ == "__main__":' in found.stderr.splitlines()[-1]


def test_results_show_in_a_notebook_and_go_to_pandas(tmp_path: Path) -> None:
    records = econzoo.run("bargaining", tmp_path, players=["fair", "spe"], seeds=2)
    page = analyze(records)
    parts = [one for one in page.parts if isinstance(one, Table | Figure)]
    for one in (page, parts[0], parts[-1], records, records[0]):
        assert one._repr_html_().startswith(("<table", "<iframe", "<p>"))
    frame = records.to_pandas()
    assert [*frame["payoffs"]] == [one.payoffs for one in records]
    assert [*frame["metrics.efficiency"]] == [one.metrics["efficiency"] for one in records]
    assert len(page.to_pandas()["players"]) == 2
    message = dataclasses.replace(records[0], players=["<script>", "fair"])
    assert "<script>" not in message._repr_html_()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("line", [("serve", "player", "fair", "--port", "0"), ("evaluate", "bargaining", "plan(1.0)")])
def test_an_interrupt_is_one_line(line: tuple[str, ...], sent: int, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "econzoo", *line],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(INTERRUPTED_SECONDS)
    process.send_signal(sent)
    said = process.communicate(timeout=60)[1].splitlines()
    assert (process.returncode, len(said)) == (130, 1), said
    assert said[0].startswith("stopped")
    if line[0] == "evaluate":
        assert "are lost; --out DIR keeps them" in said[0]
