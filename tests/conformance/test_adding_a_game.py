"""Names every step that a registered game has not taken yet; what to do is in the message."""

from __future__ import annotations

import dataclasses
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from conformance.secrets_table import SECRETS
from conformance.steps import AROUND, FILES, INSIDE, SHARED, TEXT, folder, impurities
from econzoo.envs.core.contract.actions import ActionSchema, Kind
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import Described, Parameter
from toy_games import PENNIES


@pytest.mark.parametrize("step", [*INSIDE, *AROUND])
def test_step(registered_game: Game, step: str) -> None:
    missing = list({**INSIDE, **AROUND}[step](registered_game))
    assert not missing, f"{registered_game.name}:\n  " + "\n  ".join(missing)


@pytest.mark.parametrize("step", INSIDE)
def test_step_of_the_toys(game: Game, step: str) -> None:
    assert not list(INSIDE[step](game))


def changed(module: ModuleType, **parts: Any) -> ModuleType:
    """A module with other parts; None leaves one out."""
    out = ModuleType(module.__name__)
    out.__dict__.update({k: v for k, v in {**vars(module), **parts}.items() if k not in parts or v is not None})
    return out


class _Nothing(NamedTuple):
    """Nothing is told here."""

    some: int


def with_part(part: str, module: ModuleType) -> Game:
    """Matching pennies with another text, metrics, solution or scenarios module."""
    game = dataclasses.replace(PENNIES)
    vars(game)[part] = module  # where the cached property keeps it
    return game


RULES_CASES = [
    ("functions_of_the_rules", {"initial": lambda params: None}, "docstring"),
    ("tuples_of_the_rules", {"View": int}, "make int in rules.py a NamedTuple"),
    ("tuples_of_the_rules", {"View": _Nothing}, "give _Nothing in rules.py the field 'round'"),
    ("tuples_of_the_rules", {"initial": lambda params: _Nothing(1)}, "describe _Nothing.some"),
    ("features_of_the_rules", {"FEATURES": ()}, "list FEATURES"),
    ("features_of_the_rules", {"FEATURES": ("one",)}, r"as long as features\(\) \(4\)"),
    ("features_of_the_rules", {"features": lambda view: (7.0,) * 4}, "into \\[-1, 1\\]"),
]


@pytest.mark.parametrize(("step", "parts", "told"), RULES_CASES)
def test_a_gap_in_the_rules_is_named(step: str, parts: dict[str, Any], told: str) -> None:
    broken = dataclasses.replace(PENNIES, rules=dataclasses.replace(PENNIES.rules, **parts))
    with pytest.raises(AssertionError, match=told):
        test_step(broken, step)


def test_a_game_of_chance_needs_its_distribution() -> None:
    of_chance = dataclasses.replace(PENNIES.facts, chance=True)
    assert list(INSIDE["functions_of_the_rules"](dataclasses.replace(PENNIES, facts=of_chance))) == [
        "define chance() in rules.py (what it gives is told in econzoo/envs/core/contract/rules.py)"
    ]


PART_CASES = [
    *[("functions_of_the_texts", "text", {name: None}, f"define {name}\\(\\) in text.py") for name in TEXT],
    ("metrics", "metrics", {"outcome": None}, "define outcome"),
    ("metrics", "metrics", {"DEFINITIONS": ("mine",)}, "list DEFINITIONS"),
    ("metrics", "metrics", {"outcome": lambda p, s, d: None}, "return an Outcome"),
    ("solution", "solution", {"equilibrium_payoffs": None}, "define equilibrium_payoffs"),
    ("solution", "solution", {"equilibrium_payoffs": lambda p: (1.0,)}, "one payoff for each seat"),
    ("scenarios", "scenarios", {"DISTRIBUTIONS": {"train": {}}}, "make DISTRIBUTIONS"),
    ("scenarios", "scenarios", {"MARKETS": {}}, "define MARKETS"),
    ("scenarios", "scenarios", {"MARKETS": {"default": {}, "odd": {"rounds": 0}}}, "the market 'odd'.*rounds=0"),
]


@pytest.mark.parametrize(("step", "part", "parts", "told"), PART_CASES)
def test_a_gap_in_another_module_is_named(step: str, part: str, parts: dict[str, Any], told: str) -> None:
    broken = with_part(part, changed(getattr(PENNIES, part), **parts))
    if part == "metrics" and "outcome" in parts and parts["outcome"] is None:
        broken = with_part(part, changed(PENNIES.metrics, outcome=None, DEFINITIONS=()))
    with pytest.raises(AssertionError, match=told):
        test_step(broken, step)


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_named(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"pennies_without_{file.partition('.')[0]}"
    shutil.copytree(folder(PENNIES), tmp_path / name)
    monkeypatch.syspath_prepend(str(tmp_path))
    copy = dataclasses.replace(PENNIES, package=name)
    assert not list(INSIDE["files_of_the_folder"](copy))
    (tmp_path / name / file).unlink()
    told = list(INSIDE["files_of_the_folder"](copy))
    assert [line.split(" (")[0] for line in told] == [f"write {name}/{file}"]


def test_missing_templates_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder(PENNIES), tmp_path / "pennies_told_briefly")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "pennies_told_briefly" / "prompts.toml").write_text('[brief]\ngame = "Play."\n')
    told = list(INSIDE["templates"](dataclasses.replace(PENNIES, package="pennies_told_briefly")))
    assert "write the text 'turn.wait' in prompts.toml" in told
    assert "write the table [event] in prompts.toml" in told
    assert not any("[brief]" in line for line in told)


@pytest.mark.parametrize("name", SHARED)
def test_what_rules_may_take_in_is_as_pure_as_they_are(name: str) -> None:
    assert not list(impurities(Path(str(import_module(name).__file__))))


def test_rules_that_roll_their_own_dice_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder(PENNIES), tmp_path / "pennies_with_dice")
    (tmp_path / "pennies_with_dice" / "rules.py").write_text("import random\nfrom numpy import array\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    copy = dataclasses.replace(PENNIES, package="pennies_with_dice")
    told = list(INSIDE["purity_of_the_rules"](copy))
    assert [line.split(" out of")[0] for line in told] == ["take the import of random", "take the import of numpy"]


def _any(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("parameters", {"parameters": (Parameter("x", 1, Described(int, ""), "Doc."),)}, "document the parameter 'x'"),
        (
            "parameters",
            {"parameters": (Parameter("x", 1, Described(_any, "all"), "Doc."),)},
            "refuse what it does not know",
        ),
        ("parameters", {"parameters": (Parameter("x", 1.5, Described(int, "all"), "Doc."),)}, "in its plain form"),
        ("facts", {"summary": " "}, "write the summary"),
        ("facts", {"facts": dataclasses.replace(PENNIES.facts, roles=("One",))}, "a role for each"),
        ("facts", {"facts": dataclasses.replace(PENNIES.facts, language=True)}, "GameFacts.language"),
        ("moves", {"actions": ActionSchema(Kind("empty", NamedTuple("Empty", [])))}, "the move Empty a docstring"),
        ("secrets", {"facts": dataclasses.replace(PENNIES.facts, perfect_information=False)}, "secrets_table"),
        ("module", {}, "write envs/pennies_v0.py"),
        ("baselines", {}, "write the scripted players in baselines/pennies/"),
        ("tests", {}, "write tests/games/pennies/test_rules.py"),
    ],
)
def test_a_gap_elsewhere_is_named(step: str, change: dict[str, Any], told: str) -> None:
    assert PENNIES.name not in SECRETS
    with pytest.raises(AssertionError, match=told):
        test_step(dataclasses.replace(PENNIES, **change), step)
