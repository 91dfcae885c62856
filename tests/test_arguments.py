"""Every exported function names a wrong argument and what is allowed, ahead of anything else."""

from __future__ import annotations

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
from econzoo.evaluate import Records, analyze, new_design, read_records
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
