"""Names every step that a registered game has not taken yet; what to do is in the message."""

from __future__ import annotations

import dataclasses
import re
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from econzoo.envs.core.contract import ActionSchema, CustomDomain, Game, Kind, Parameter
from econzoo.testing.folder import FILES, TEXT_FUNCTIONS, folder
from econzoo.testing.package_files import count_comparisons
from refusals import says
from toy_games import PENNIES, register_temporarily


def gaps(part: str, name: str, game: Game) -> list[str]:
    """What a check of the suite finds missing."""
    module = import_module(f"econzoo.testing.{part}")
    return list(getattr(module, name).__wrapped__(game))


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
    ("tuples_of_the_rules", {"View": int}, "int.*NamedTuple"),
    ("tuples_of_the_rules", {"View": _Nothing}, "_Nothing.*'round'"),
    ("features_of_the_rules", {"FEATURES": ()}, "FEATURES"),
    ("features_of_the_rules", {"FEATURES": ("one",)}, r"features\(\).*4"),
    ("features_of_the_rules", {"features": lambda view: (7.0,) * 4}, r"\[-1, 1\]"),
]


def test_a_gap_in_the_rules_is_named() -> None:
    for step, parts, told in RULES_CASES:
        broken = dataclasses.replace(PENNIES, rules=dataclasses.replace(PENNIES.rules, **parts))
        assert any(re.search(told, gap) for gap in gaps("folder", step, broken)), (step, told)


def test_rules_of_this_package_are_described_and_those_of_others_are_theirs() -> None:
    parts = dataclasses.replace(PENNIES.rules, initial=lambda params: _Nothing(1))
    for step, told in (("tuples_of_the_rules", "_Nothing.some"), ("functions_of_the_rules", "docstring")):
        ours, theirs = (gaps("folder", step, dataclasses.replace(game, rules=parts)) for game in (OURS, PENNIES))
        says(ours, told)
        assert told not in str(theirs)


def test_a_game_of_chance_needs_its_distribution() -> None:
    of_chance = dataclasses.replace(PENNIES.facts, chance=True)
    (gap,) = gaps("folder", "functions_of_the_rules", dataclasses.replace(PENNIES, facts=of_chance))
    says(gap, "chance()", "rules.py", "econzoo/envs/core/contract/rules.py")


PART_CASES = [
    *[("functions_of_the_texts", "text", {name: None}, rf"{name}\(\).*text\.py") for name in TEXT_FUNCTIONS],
    ("metrics", "metrics", {"outcome": None}, "outcome"),
    ("metrics", "metrics", {"DEFINITIONS": ("mine",)}, "DEFINITIONS"),
    ("metrics", "metrics", {"outcome": lambda p, s, d: None}, "Outcome"),
    ("solution", "solution", {"equilibrium_payoffs": None}, "equilibrium_payoffs"),
    ("solution", "solution", {"equilibrium_payoffs": lambda p: (1.0,)}, "each seat"),
    ("scenarios", "scenarios", {"DISTRIBUTIONS": {"train": {}}}, "DISTRIBUTIONS"),
    ("scenarios", "scenarios", {"SETTINGS": {}}, "SETTINGS"),
    ("scenarios", "scenarios", {"SETTINGS": {"default": {}, "odd": {"rounds": 0}}}, "'odd'.*rounds=0"),
]


def test_a_gap_in_another_module_is_named() -> None:
    for step, part, parts, told in PART_CASES:
        broken = with_part(part, changed(getattr(PENNIES, part), **parts))
        if part == "metrics" and "outcome" in parts and parts["outcome"] is None:
            broken = with_part(part, changed(PENNIES.metrics, outcome=None, DEFINITIONS=()))
        assert any(re.search(told, gap) for gap in gaps("folder", step, broken)), (step, told)


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for file in FILES:
        name = f"pennies_without_{file.partition('.')[0]}"
        shutil.copytree(folder(PENNIES), tmp_path / name)
        copy = dataclasses.replace(PENNIES, package=name)
        assert not gaps("folder", "files_of_the_folder", copy)
        (tmp_path / name / file).unlink()
        (gap,) = gaps("folder", "files_of_the_folder", copy)
        says(gap, f"{name}/{file}")


def test_missing_templates_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder(PENNIES), tmp_path / "pennies_told_briefly")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "pennies_told_briefly" / "prompts.toml").write_text('[brief]\ngame = "Play."\n')
    told = gaps("folder", "templates", dataclasses.replace(PENNIES, package="pennies_told_briefly"))
    says(told, "'turn.wait'", "[event]", "prompts.toml")
    assert not any("[brief]" in line for line in told)


def test_rules_that_roll_their_own_dice_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder(PENNIES), tmp_path / "pennies_with_dice")
    (tmp_path / "pennies_with_dice" / "rules.py").write_text("import random\nfrom numpy import array\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    copy = dataclasses.replace(PENNIES, package="pennies_with_dice")
    told = gaps("folder", "purity_of_the_rules", copy)
    for gap, library in zip(told, ("random", "numpy"), strict=True):
        says(gap, library, "rules.py")


def _any(value: Any) -> Any:
    return value


DECLARATION_CASES: list[tuple[str, dict[str, Any], str]] = [
    ("parameters", {"parameters": (Parameter("x", 1, CustomDomain(int, ""), "Doc."),)}, "'x'"),
    ("parameters", {"parameters": (Parameter("x", 1, CustomDomain(_any, "all"), "Doc."),)}, "refuse"),
    ("parameters", {"parameters": (Parameter("x", 1.5, CustomDomain(int, "all"), "Doc."),)}, "plain form"),
    ("facts", {"summary": " "}, "summary"),
    ("facts", {"facts": dataclasses.replace(PENNIES.facts, roles=("One",))}, "role"),
    ("facts", {"facts": dataclasses.replace(PENNIES.facts, language=True)}, "GameFacts.language"),
    ("moves", {"actions": ActionSchema(Kind("empty", NamedTuple("Empty", [])))}, "Empty.*docstring"),
]


def test_a_gap_in_a_declaration_is_named() -> None:
    for step, change, told in DECLARATION_CASES:
        assert any(re.search(told, gap) for gap in gaps("folder", step, dataclasses.replace(PENNIES, **change))), told


OURS = dataclasses.replace(PENNIES, name="farthings", package="econzoo.envs.games.farthings")
"""As if matching pennies were a game of this package."""


def test_a_gap_around_a_game_of_this_package_is_named() -> None:
    for step, told in [
        ("module", "envs/farthings_v0.py"),
        ("registration", "envs/farthings_v0.py"),
        ("tests", "tests/games/farthings/test_rules.py"),
        ("page", "docs/games/farthings.md"),
        ("page", "`farthings`"),
    ]:
        says(gaps("package_files", step, OURS), told)


def test_players_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with register_temporarily(PENNIES):
        says(gaps("package_files", "players", PENNIES), "PLAYERS")


def test_assertions_about_declarations_are_no_tests(tmp_path: Path) -> None:
    for text, count in [
        ('def test_a():\n    assert GAME.name == "x"\n    assert GAME.version == 0\n', 0),
        ("def test_a():\n    assert payoffs(p, s) == (1, 2)\n", 1),
        ("def test_a():\n    record = play()\n    assert record.seed\n    assert record.turns\n", 2),
        ("def test_a():\n    with pytest.raises(ValueError):\n        play()\n", 1),
    ]:
        (tmp_path / "test_x.py").write_text(text)
        assert count_comparisons(tmp_path / "test_x.py") == count, text
