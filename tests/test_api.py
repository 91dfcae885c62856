"""Every exported name has a docstring in full, and the documentation imports public names only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import griffe
import pytest

import api_pages

pytestmark = pytest.mark.repo

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MENDED_BY = "add the name to the module's __all__ and the module to .ci/site/api_pages.py"


MODULES = [module for modules in api_pages.MODULES.values() for module in modules]
PUBLIC = {module: set(api_pages.public(module)) for module in MODULES}
OF_A_GAME = re.compile(r"econzoo\.(envs\.games|envs\.families|baselines)\.\w+\.?")
EXPORTS = {package: api_pages.exports(package) for package in api_pages.PACKAGES}


def taken(code: str) -> Iterator[tuple[str, str]]:
    """(module, name) of all names of this package that a block imports, or uses as ``econzoo.NAME``."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "econzoo":
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("econzoo."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "econzoo":
            yield "econzoo", node.attr


def is_public(module: str, name: str) -> bool:
    """Whether a page may take a name (nothing: the module itself) from a module."""
    module = re.sub(r"^econzoo\.envs\.\w+_v\d+$", "econzoo.envs.bargaining_v0", module)
    if name in {*PUBLIC.get(module, ()), *EXPORTS.get(module, ())} or (not name and module in PUBLIC):
        return True
    return bool(name) and is_public(f"{module}.{name}", "")


def hidden(code: str) -> list[str]:
    """What a block takes that is not public."""
    return [f"{module}.{name}".rstrip(".") for module, name in taken(code) if not is_public(module, name)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_page_imports_public_names_only(page: Path) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert [name for code in blocks for name in hidden(code)] == [], MENDED_BY


def test_the_modules_of_all_games_have_the_same_names() -> None:
    modules = [f"econzoo.envs.{file.stem}" for file in (ROOT / "envs").glob("*_v*.py")]
    assert [one for one in modules if api_pages.public(one) != ["env", "parallel_env", "raw_env"]] == []


@cache
def exported() -> dict[str, griffe.Object]:
    """Functions and classes of `MODULES` and `EXPORTS` by path, where they are defined."""
    package = griffe.load("econzoo", search_paths=[ROOT / "build" / "editable"])
    listed = [(module, name) for module in MODULES for name in PUBLIC[module] if api_pages.is_linked(module, name)]
    listed += [(module, name) for names in EXPORTS.values() for name, module in names.items()]
    found = [package[f"{module}.{name}".removeprefix("econzoo.")] for module, name in listed]
    defined = [one.final_target if one.is_alias else one for one in found]
    return {one.canonical_path: one for one in defined if one.is_function or one.is_class}


def with_members(names: dict[str, griffe.Object]) -> dict[str, griffe.Object]:
    """Functions and classes, and the public methods and properties that the classes define."""
    members = {f"{path}.{name}": part for path, one in names.items() for name, part in one.members.items()}
    return names | {
        path: part
        for path, part in members.items()
        if not part.is_alias and not part.name.startswith("_") and (part.is_function or "property" in part.labels)
    }


def without_docstring(names: dict[str, griffe.Object]) -> list[str]:
    return [path for path, one in with_members(names).items() if not one.has_docstring]


def unnamed_parameters(names: dict[str, griffe.Object]) -> dict[str, list[str]]:
    """Parameters that an ``Args`` section leaves out, by the function or method that has the section."""
    found = {}
    functions = {path: one for path, one in with_members(names).items() if isinstance(one, griffe.Function)}
    for path, one in functions.items():
        parts = one.docstring.parse("google", warnings=False) if one.docstring else []
        sections = [part.value for part in parts if part.kind is griffe.DocstringSectionKind.parameters]
        named = {"self", "cls", *(entry.name.lstrip("*") for section in sections for entry in section)}
        parameters = [parameter.name for parameter in one.parameters if not parameter.name.startswith("_")]
        found[path] = [name for name in parameters if sections and name.lstrip("*") not in named]
    return {path: left_out for path, left_out in found.items() if left_out}


DESCRIBED_BY_RULES = "econzoo.envs.core.contract.rules.RulesModule."
"""A type for checkers; its members are those of `Rules`."""


def test_every_exported_name_says_what_it_is() -> None:
    assert len(exported()) > 250
    assert [path for path in without_docstring(exported()) if not path.startswith(DESCRIBED_BY_RULES)] == []


def test_arguments_of_exported_functions_are_described_all_or_none() -> None:
    assert unnamed_parameters(exported()) == {}


@pytest.mark.parametrize("package", EXPORTS)
def test_a_package_exports_names_that_its_modules_define(package: str) -> None:
    assert set(import_module(package).__all__) >= EXPORTS[package].keys() == set(api_pages.public(package))
    assert {name: place for name, place in EXPORTS[package].items() if name not in bound(place)} == {}


def bound(module: str) -> set[str]:
    """Names at the top of a module, imported ones included."""
    body = api_pages.tree(module).body
    imported = {alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return imported.union(*map(api_pages.defined, body))


def test_examples_use_short_import_paths() -> None:
    """At most two dots, but for the code of one game or family, whose name is a part of the path."""
    code = [block for page in PAGES for block in BLOCK.findall(page.read_text(encoding="utf-8"))]
    paths = {module for block in code for module, _ in taken(block)}
    assert sorted(path for path in paths if path.count(".") > 2 and not OF_A_GAME.match(path)) == []


# These tests can fail


def test_a_missing_docstring_and_a_missing_argument_are_found() -> None:
    code = '''
def told(one, *two, _three=3):
    """Say.

    Args:
        one: First.
        *two: Others.
    """

def forgot(one, two):
    """Say.

    Args:
        one: First.
    """

def short(one):
    """Say."""

def silent(): ...

class Shown:
    """A class."""

    @property
    def size(self): return 1

    def grow(self, by, to):
        """Grow.

        Args:
            by: Steps.
        """

    def _hide(self): ...
'''
    with griffe.temporary_visited_module(code, module_name="m") as module:
        names = {f"m.{name}": one for name, one in module.members.items()}
        assert without_docstring(names) == ["m.silent", "m.Shown.size"]
        assert unnamed_parameters(names) == {"m.forgot": ["two"], "m.Shown.grow": ["to"]}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import econzoo\neconzoo.make('matrix')", []),
        ("import econzoo\neconzoo.register_all()", ["econzoo.register_all"]),
        ("from econzoo.evaluate import read_records", []),
        ("from econzoo.envs.core.record import defined", ["econzoo.envs.core.record.defined"]),
        ("from econzoo.envs import coin_game_v0", []),
        ("from econzoo.envs.coin_game_v0 import env", []),
        ("from econzoo.envs.families.open_source import library", []),
        ("import econzoo.envs.core.vector", []),
        ("import econzoo.envs.families.two_seats", ["econzoo.envs.families.two_seats"]),
    ],
)
def test_a_hidden_name_is_found(code: str, found: list[str]) -> None:
    assert hidden(code) == found
