"""Every source file of the library, and what it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("envs", "wrappers", "baselines", "evaluate", "people", "train", "testing")
"""Each imports those before it only."""

SANDBOXED = ("envs/families/open_source/helpers", "envs/families/open_source/library")
"""Sources that run in the sandbox alone, where the random numbers are a program's own."""

FILES = {
    name: path
    for layer in LAYERS
    for path in sorted((ROOT / layer.replace("testing", "tests/testing")).rglob("*.py"))
    if not (name := str(path.relative_to(ROOT))).startswith(SANDBOXED)
}


@cache
def tree_of(name: str) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


@cache
def face_of(package: str) -> dict[str, str]:
    """Names that a room gives to others, with the module that each lies in; empty: no room with a face."""
    stub = ROOT / f"{package.removeprefix('econzoo.').replace('.', '/')}/__init__.pyi"
    nodes = ast.parse(stub.read_text(encoding="utf-8")).body if stub.is_file() else []
    return {
        alias.name: f"{package}.{node.module or alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def public_names(package: str) -> set[str]:
    """The `__all__` of a face."""
    stub = ROOT / f"{package.removeprefix('econzoo.').replace('.', '/')}/__init__.pyi"
    lists = [node.value for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign)]
    return set(ast.literal_eval(lists[0])) if lists else set()


@cache
def imports(tree: ast.AST, name: str = "some.py") -> tuple[tuple[int, str], ...]:
    """(line, module) of every import inside; relative ones as they read from the file `name`.

    What is imported from the face of a room counts as imported from its module.
    """
    return tuple(_imports(tree, name))


def _imports(tree: ast.AST, name: str) -> Iterator[tuple[int, str]]:
    here = ["econzoo", *Path(name).with_suffix("").parts]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join([*here[: len(here) - node.level], *([node.module] if node.module else [])])
            module = module if node.level else str(node.module)
            yield node.lineno, module
            face = face_of(module)
            yield from ((node.lineno, face[alias.name]) for alias in node.names if alias.name in face)
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def at_import(tree: ast.Module, lazy: bool = False, typing: bool = False) -> Iterator[tuple[int, str]]:
    """Imports that run: outside of functions unless `lazy`, and outside of `if TYPE_CHECKING` unless `typing`."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not lazy:
            continue
        if not typing and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        waiting += ast.iter_child_nodes(node)


def module_of(name: str) -> str:
    """``econzoo.x.y`` of a file; a package is its ``__init__.py``."""
    parts = Path(name.replace("envs/_root/", "").removeprefix("tests/")).with_suffix("").parts
    return ".".join(["econzoo", *parts]).removesuffix(".__init__")


def import_graph(lazy: bool = False, typing: bool = False) -> dict[str, set[str]]:
    """Every module with those that it imports (see `at_import`). Packages above a module do not count."""
    files = {module_of(name): name for name in FILES}
    graph = {}
    for module, name in files.items():
        found = {(n, m) for n, m in at_import(tree_of(name), lazy, typing) if m in files}
        above = {(n, m) for n, m in found if any(n == line and one.startswith(f"{m}.") for line, one in found)}
        graph[module] = {m for _, m in found - above} - {module}
    return graph
