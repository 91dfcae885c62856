"""Files around a game's folder: versioned module, players, tests and page.

Games of other packages get warnings where games of this package fail.
"""

from __future__ import annotations

import ast
import re
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, metadata, packages_distributions
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path
from unittest import SkipTest

import econzoo
from econzoo.baselines import scripted_players
from econzoo.envs import GAMES
from econzoo.envs.core import read_text
from econzoo.envs.core.contract import Game
from econzoo.testing.folder import Problems, check_missing
from econzoo.testing.suite import is_foreign

TESTS = ("rules", "metrics", "solution", "text", "privacy")
MIN_ASSERTIONS = 3
"""Minimum assertions about computed values in a test file."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def repository_root() -> Path:
    """Return the repository root.

    Raises:
        SkipTest: The package is installed as a wheel.
    """
    root = Path(econzoo.__file__).resolve().parents[2]
    if not (root / "pyproject.toml").is_file():
        raise SkipTest("econzoo is installed as a wheel, without tests and pages")
    return root


@check_missing("The files")
def module(game: Game) -> Problems:
    """A game of this package has a versioned module, as in PettingZoo."""
    name = f"{game.name}_v{game.version}"
    if is_foreign(game):
        raise SkipTest("not required of other packages")
    if find_spec(f"econzoo.envs.{name}") is None:
        yield f"write envs/{name}.py with env, raw_env and parallel_env"
        return
    made = import_module(f"econzoo.envs.{name}")
    for maker in ("env", "raw_env", "parallel_env"):
        if not callable(getattr(made, maker, None)):
            yield f"define {maker} in envs/{name}.py"
    if not made.__doc__:
        yield f"add a one-sentence docstring to envs/{name}.py"


@check_missing("Registration", is_optional=True)
def registration(game: Game) -> Problems:
    """The game is found by its name, on the command line as well."""
    if is_foreign(game):
        if game.name not in entry_points(group="econzoo.games").names:
            yield f"name {game.name} among the entry points econzoo.games of its package, for the command line"
    elif GAMES.get(game.name) != game.version:
        yield f"write envs/{game.name}_v{game.version}.py: games are found by their versioned modules"


@check_missing("Players", is_optional=True)
def players(game: Game) -> Problems:
    """Scripted players can be named, and each cites its source."""
    found = scripted_players(game.name)
    if not found:
        yield f"list scripted players by name in PLAYERS of the players of {game.name}"
    for spec, given in found.items():
        maker = given.func if isinstance(given, partial) else given
        if "Source" not in (getdoc(maker) or "") + (getdoc(import_module(maker.__module__)) or ""):
            yield f"cite the source of the player {spec!r} in its docstring or its module's"


@check_missing("Tests")
def tests(game: Game) -> Problems:
    """A game of this package has tests of its rules, metrics, solution, texts and privacy that use them."""
    if is_foreign(game):
        raise SkipTest("not required of other packages")
    here = repository_root() / "tests" / "games" / game.name
    for about in TESTS:
        written = list(here.glob(f"test_*{about}.py"))
        if not written:
            yield f"write tests/games/{game.name}/test_{about}.py: tables that a person can check by hand"
        elif sum(map(count_comparisons, written)) < MIN_ASSERTIONS:
            yield (
                f"let tests/games/{game.name}/{written[0].name} play the game and compare: it has fewer than "
                f"{MIN_ASSERTIONS} assertions about anything that is computed"
            )


def count_comparisons(file: Path) -> int:
    """Count the assertions of a file about computed values, not only declarations."""
    tree = ast.parse(read_text(file))
    bound = {node: computed_names(node) for node in ast.walk(tree) if isinstance(node, FUNCTIONS)}
    return sum(_compares(node, names) for function, names in bound.items() for node in ast.walk(function))


def computed_names(function: ast.AST) -> set[str]:
    """Return the names in a function that are bound to results of calls."""
    bound = [pair for node in ast.walk(function) for pair in _find_bindings(node)]
    called = [target for target, value in bound if any(isinstance(part, ast.Call) for part in ast.walk(value))]
    return {part.id for target in called for part in ast.walk(target) if isinstance(part, ast.Name)}


def _find_bindings(node: ast.AST) -> list[tuple[ast.AST, ast.AST]]:
    """Return (target, value) pairs bound by a statement."""
    match node:
        case ast.Assign():
            return [(target, node.value) for target in node.targets]
        case ast.NamedExpr():
            return [(node.target, node.value)]
        case ast.For() | ast.comprehension():
            return [(node.target, node.iter)]
        case ast.withitem(optional_vars=ast.AST() as target):
            return [(target, node.context_expr)]
    return []


def _compares(node: ast.AST, names: set[str]) -> bool:
    """Whether a statement asserts a computed value or an error."""
    if isinstance(node, ast.With):
        return "raises" in ast.unparse(node.items[0])
    parts = list(ast.walk(node)) if isinstance(node, ast.Assert) else []
    return any(isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id in names) for part in parts)


@check_missing("The page", is_optional=True)
def page(game: Game) -> Problems:
    """The game has a page and is listed."""
    if is_foreign(game):
        if game.name not in _package_description(game):
            yield f"mention {game.name} in the README of its package"
        return
    root = repository_root()
    if (root / "docs" / "games" / f"{game.name}.md").is_file():
        return
    pages = [file for file in (root / "docs").glob("*.md") if file.name not in ("results.md", "results_by_game.md")]
    named = re.compile(rf"\b{game.name}\b")
    if not any(named.search(read_text(file)) for file in pages):
        yield f"write a page docs/games/{game.name}.md"
    if f"`{game.name}`" not in read_text(root / "README.md"):
        yield f"give `{game.name}` a row in the table of games of README.md"


def _package_description(game: Game) -> str:
    """Return the description of a game's package."""
    package = game.package.partition(".")[0]
    try:
        names = packages_distributions().get(package, [package])
        return "".join(str(metadata(name)) for name in names)
    except PackageNotFoundError:
        return ""
