"""The drawing of docs/architecture.md is what the files import: no arrow too many, none forgotten."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from import_scanner import FILES, LAYERS, ROOT, imports, tree_of

pytestmark = pytest.mark.repo

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
Arrows = set[tuple[str, str]]


def drawn(page: str) -> tuple[list[str], Arrows, Arrows]:
    """Folders in the drawing, arrows of imports, and dotted arrows of names."""
    drawing = re.search(r"^```mermaid\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert drawing
    folders = dict(re.findall(r'^ *(\w+)\["([\w/]+)', drawing[1], flags=re.MULTILINE))
    solid = re.findall(r"^ *(\w+) --> (\w+)$", drawing[1], flags=re.MULTILINE)
    dotted = re.findall(r"^ *(\w+) -\. .+ \.-> (\w+)$", drawing[1], flags=re.MULTILINE)
    assert len(folders) + len(solid) + len(dotted) == len([line for line in drawing[1].splitlines()[1:] if line])
    return (
        list(folders.values()),
        {(folders[a], folders[b]) for a, b in solid},
        {(folders[a], folders[b]) for a, b in dotted},
    )


FOLDERS, SOLID, DOTTED = drawn(PAGE)


@cache
def folder_of(path: str) -> str:
    """The innermost folder of the drawing that a file or a dotted name lies in."""
    path = path.removesuffix(".py")
    return max((f for f in FOLDERS if f"{path}/".startswith(f"{f}/")), key=len, default="not in the drawing")


@cache
def folder_of_module(module: str) -> str:
    """The folder of ``econzoo.x.y``; what is not below a layer belongs to the root package."""
    path = module.partition(".")[2].replace(".", "/")
    inner = folder_of(f"tests/{path}" if path.startswith("testing") else path)
    return "envs/_root" if inner == "not in the drawing" else inner


def names_in(tree: ast.AST) -> Iterator[str]:
    """Modules that stand as text in a source, to be imported by name."""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        found = re.fullmatch(rf"(econzoo\.(?:{'|'.join(LAYERS)})(?:\.\w+)*)\.?(?::\w+)?", text)
        if found:
            yield found[1]


def arrows(modules_of: dict[str, Iterable[str]]) -> Arrows:
    """Between folders, from the modules that each file mentions."""
    found = {
        (folder_of(name), folder_of_module(module))
        for name, modules in modules_of.items()
        for module in modules
        if module.split(".")[0] == "econzoo"
    }
    return {(a, b) for a, b in found if a != b}


@cache
def imported() -> Arrows:
    return arrows({name: [module for _, module in imports(tree_of(name), name)] for name in FILES})


def implied(solid: Arrows) -> Arrows:
    """All that follows from the arrows, themselves included."""
    reached = set(solid)
    while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= more
    return reached


def test_every_file_lies_in_the_drawing() -> None:
    found = {name for name in FILES if folder_of(name) == "not in the drawing"}
    found = {name for name in found if not FILES[name].with_suffix(".pyi").is_file()}  # short import paths
    assert {name for name in found if len(tree_of(name).body) > 1} == set(), "more than a docstring"


def test_every_arrow_is_an_import() -> None:
    assert not SOLID - imported()


def test_every_import_is_an_arrow_or_follows_from_some() -> None:
    assert not imported() - implied(SOLID)


def test_no_arrow_follows_from_the_others() -> None:
    assert {arrow for arrow in SOLID if arrow in implied(SOLID - {arrow})} == set()


def test_dotted_arrows_are_the_modules_that_are_only_named() -> None:
    named = arrows({name: names_in(tree_of(name)) for name in FILES})
    assert named - implied(SOLID) == DOTTED


def test_no_way_leads_back() -> None:
    assert {a for a, b in implied(SOLID) if a == b} == set()


# These tests can fail


@pytest.mark.parametrize(
    ("source", "arrow"),
    [
        ("import econzoo.train.rl.ppo", ("evaluate/run", "train/rl")),
        ("from econzoo.envs.games import matrix", ("evaluate/run", "envs/games")),
        ("def f():\n    import econzoo", ("evaluate/run", "envs/_root")),
    ],
)
def test_an_import_gives_its_arrow(source: str, arrow: tuple[str, str]) -> None:
    tree = ast.parse(source)
    assert arrow in arrows({"evaluate/run/x.py": [module for _, module in imports(tree)]})


def test_a_name_gives_its_arrow() -> None:
    tree = ast.parse('load("econzoo.train.rl.ppo:main")\nsay("econzoo.train is a folder")')
    assert arrows({"envs/core/x.py": names_in(tree)}) == {("envs/core", "train/rl")}


def test_what_follows_from_arrows() -> None:
    assert implied({("a", "b"), ("b", "c"), ("c", "d")}) - {("a", "b"), ("b", "c"), ("c", "d")} == {
        ("a", "c"),
        ("b", "d"),
        ("a", "d"),
    }
