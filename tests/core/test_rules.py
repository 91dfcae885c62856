"""`Rules`: what a module must define, what looks like a misspelled part, and what a type checker says of each game."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.contract import Game, Rules
from refusals import refuses
from toy_games import PENNIES

ROOT = Path(__file__).resolve().parents[2]
NEEDED = [part.name for part in dataclasses.fields(Rules) if part.default is dataclasses.MISSING]


def pennies_with(**parts: Callable[..., Any] | None) -> Any:
    """A module with the rules of matching pennies and functions of its own; None leaves one out."""
    module = ModuleType("pennies_rules")
    for name in PENNIES.rules.defined_parts:
        setattr(module, name, getattr(PENNIES.rules, name))
    for name, function in parts.items():
        if function is None:
            delattr(module, name)
        else:
            function.__module__ = module.__name__
            setattr(module, name, function)
    return module


def test_a_missing_part_is_named() -> None:
    for part in NEEDED:
        with refuses(TypeError, "pennies_rules", part):
            Rules.from_module(pennies_with(**{part: None}))


def test_a_missing_part_is_named_with_its_signature() -> None:
    with refuses(TypeError, "observe(Params, State, int) -> View"):
        Rules.from_module(pennies_with(observe=None))


def test_a_function_that_looks_like_an_absent_part_is_refused() -> None:
    for misspelled, part in [
        ("aliv", "alive(Params, State, int) -> bool"),
        ("gain", "gains(Params, State) -> tuple[float, ...]"),
        ("entry_rounds", "entry_round(Params, State, int) -> int"),
        ("bound", "bounds(Params, State, int) -> tuple[Bounds, ...]"),
        ("refused", "refuses(Params, State, int, Move) -> int"),
        ("feature_name", "feature_names(Params) -> tuple[str, ...]"),
    ]:
        with refuses(TypeError, f"pennies_rules.{misspelled}()", part):
            Rules.from_module(pennies_with(**{misspelled: lambda p, s, seat: 1}))


def test_functions_of_its_own_are_left_alone() -> None:
    """One part of a sum may be called like the sum; what begins with an underscore is nobody's business."""
    for own in ["payoff", "_aliv", "standing", "score", "paid"]:
        assert Rules.from_module(pennies_with(**{own: lambda p, s, seat: 1})) == PENNIES.rules, own


def test_a_function_taken_over_from_elsewhere_is_a_part_by_its_name_alone() -> None:
    module = pennies_with()
    module.alive = lambda p, s, seat: True  # of this module
    module.aliv = lambda p, s, seat: True
    assert "alive" in Rules.from_module(module).defined_parts


def test_a_game_takes_rules_and_no_module() -> None:
    with refuses(TypeError, "pennies", "rules=<module 'pennies_rules'>", "Rules.from_module(module)"):
        dataclasses.replace(PENNIES, rules=pennies_with())


def test_rules_stay_the_same_in_copies() -> None:
    for name in econzoo.games():
        rules = econzoo.game(name).rules
        assert pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules) == rules, name


def checked(source: str, folder: Path) -> list[str]:
    """What mypy says of a piece of code that uses the package, line by line."""
    (folder / "typed.py").write_text(source)
    backend = runpy.run_path(str(ROOT / ".ci" / "build_backend.py"))
    backend["lay_out"]()
    command = [sys.executable, "-m", "mypy", "--follow-imports", "silent", str(folder / "typed.py")]
    paths = {**os.environ, "MYPYPATH": str(backend["LINKS"])}
    return subprocess.run(command, cwd=ROOT, env=paths, capture_output=True, text=True, check=False).stdout.splitlines()


def typed(game: Game) -> str:
    """The rules of a game written out, part by part."""
    parts = ", ".join(f"{name}={game.name}.{name}" for name in game.rules.defined_parts)
    return (
        f"import {game.package}.rules as {game.name}\n"
        f"Rules[{game.name}.Params, {game.name}.State, {game.name}.View]({parts})\n"
    )


@pytest.mark.long
def test_a_type_checker_knows_every_part(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    lines = "".join(typed(econzoo.game(name)) for name in econzoo.games())
    wrong = "Rules[matrix.Params, matrix.State, coin_game.View](aliv=1, View=matrix.View, observe=matrix.observe)\n"
    told = checked(f"from econzoo.envs.core.contract.rules import Rules\n{lines}{wrong}", tmp_path)
    number = lines.count("\n") + 2
    assert [line for line in told if f":{number}:" not in line] == [told[-1]]
    for named in (('"aliv"', '"Rules"', '"alive"'), ('"observe"', '"Rules"')):
        assert any(all(name in line for name in named) for line in told), named
