"""Rendering of an item: one complete strategy in four variants.

``plain``: the library's source, preceded by its dependencies. ``stripped``: without comments and docstrings.
``masked``: stripped, with masked names of strategies. ``obfuscated``: masked, with meaningless own names. Each variant
is a program that runs and plays the same. The last three are transformations of the syntax tree.

The dependencies of a strategy are its closure over the files of the library, parents first: its parents, the classes
that it plays by, and helper functions and constants of the modules of strategies. Imports remain for the standard
library, numpy and the like, the library's engine (`Player`, `Action`, transformers, ...), and lists of all strategies,
which would be too long.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core import LARGE_FILE_BYTES, read_text
from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.programs.axelrod_source import Library, Module, Place, defined_names, load_library
from econzoo.envs.games.code_reading.programs.axelrod_source import parse_module
from econzoo.envs.games.code_reading.programs.grammar import GENERATED
from econzoo.envs.games.code_reading.programs.grammar import source as generated
from econzoo.envs.games.code_reading.programs.masking import mask_names, strip_comments
from econzoo.envs.games.code_reading.programs.renaming import rename_names

WHOLE_LIBRARY = ("all_strategies", "ordinary_strategies")


class Piece(NamedTuple):
    """One statement of a program."""

    module: Module
    node: ast.stmt


class Closure(NamedTuple):
    """A strategy with its dependencies.

    Attributes:
        pieces: Statements in topological order; the strategy itself is the last.
    """

    imports: dict[str, Place]
    pieces: list[Piece]


def closure(library: Library, strategy: Place) -> Closure:
    """Compute the closure of a strategy; `ValueError` if it does not exist, or would need one name for two things."""
    if strategy.name not in library.module(strategy.module).definitions:
        raise ValueError(f"Axelrod {library.version} has no strategy {strategy.name} in {strategy.module}")
    search = _Search(library)
    search.visit(strategy)
    return Closure(search.imports, search.pieces)


class _Search:
    """Depth-first search: a statement is added after everything that it refers to."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.imports: dict[str, Place] = {}
        self.pieces: list[Piece] = []
        self._meant: dict[str, str] = {}
        self._seen: set[int] = set()

    def visit(self, place: Place) -> None:
        module = self.library.module(place.module)
        node = module.definitions[place.name]
        if id(node) in self._seen:
            return
        self._seen.add(id(node))
        for name in _names(node):
            self._refer(module, name)
        if self._is_new(place.name, ast.unparse(node)):
            self.pieces.append(Piece(module, node))

    def _refer(self, module: Module, name: str) -> None:
        if name in module.definitions:
            target: Place | None = Place(module.name, name)
        elif name in module.imports:
            target = self.library.find_definition(module.imports[name])
        else:
            return
        if target is None or name in WHOLE_LIBRARY:
            self._import(name, module.imports.get(name, Place(module.name, name)))
        else:
            self.visit(target)
            if target.name != name:
                self._alias(name, target.name)

    def _alias(self, name: str, target: str) -> None:
        """Add an assignment for a strategy that is imported under another name."""
        module = Module("alias", f"{name} = {target}")
        if self._is_new(name, module.source):
            self.pieces.append(Piece(module, module.tree.body[0]))

    def _import(self, name: str, place: Place) -> None:
        if self._is_new(name, str(place)):
            self.imports[name] = place

    def _is_new(self, name: str, meaning: str) -> bool:
        known = self._meant.setdefault(name, meaning)
        if known == meaning:
            return name not in self.imports and not any(name in defined_names(piece.node) for piece in self.pieces)
        # Modules may use one name for two things, which a program in one file cannot.
        raise ValueError(f"two different definitions of {name!r} in one program")


def _names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement refers to, parents first, including annotations."""
    # Breadth-first, so that the bases of a class come before the names in its methods.
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id


def render_program(strategy: Place, variant: str = "plain", source: Library | None = None) -> str:
    """Render the text of a strategy.

    Args:
        strategy: Its module and class, or `GENERATED` and the name of a generated item.
        source: The library; default: the installed one.
    """
    if variant not in VARIANTS:
        raise ValueError(f"invalid variant={variant!r}: expected one of {', '.join(VARIANTS)}")
    return _render_program(strategy, variant, load_library() if source is None else source)


# All items in all variants, since each variant is rendered from the one before.
@lru_cache(maxsize=2048)
def _render_program(strategy: Place, variant: str, source: Library) -> str:
    if variant == "plain":
        return (
            generated(strategy.name)
            if strategy.module == GENERATED
            else render_plain(source, closure(source, strategy))
        )
    previous = VARIANTS[VARIANTS.index(variant) - 1]
    change = {"stripped": strip_comments, "masked": mask_names, "obfuscated": obfuscate_names}[variant]
    tree = change(parse_module(_render_program(strategy, previous, source)), source)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def render_plain(source: Library, parts: Closure) -> str:
    """Render the imports, then the source of every piece."""
    texts = [
        inline_table(source, parts, piece.node) if loader_of(piece.node) else piece.module.text(piece.node)
        for piece in parts.pieces
    ]
    return "\n\n".join(["\n".join(import_lines(parts.imports)), *texts]) + "\n"


def import_lines(imports: dict[str, Place]) -> list[str]:
    """Import statements, whole modules first, one per module."""
    needed = {name: place for name, place in imports.items() if place.name not in LOADERS}
    whole = [_import_alias(place.module, name, "import ") for name, place in needed.items() if not place.name]
    froms: dict[str, list[str]] = {}
    for name, place in needed.items():
        if place.name:
            froms.setdefault(place.module, []).append(_import_alias(place.name, name))
    return sorted(whole) + [
        f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(froms.items())
    ]


def _import_alias(source: str, name: str, prefix: str = "") -> str:
    return prefix + (source if source == name else f"{source} as {name}")


# Strategies that read numbers from data files of the library get them inlined: `load_weights` and `load_pso_tables`
# return tables for many strategies; a program gets the rows that it looks up.

Row = tuple[Any, Any]


def _weights(cells: Sequence[str]) -> Row:
    """Name, features, hidden nodes, weights."""
    return cells[0], (int(cells[1]), int(cells[2]), [float(cell) for cell in cells[3:]])


def _tables(cells: Sequence[str]) -> Row:
    """Name and three depths, then the entries."""
    return (cells[0], *map(int, cells[1:4])), [float(cell) for cell in cells[4:]]


LOADERS: dict[str, tuple[str, Callable[[Sequence[str]], Row]]] = {
    "load_weights": ("ann_weights.csv", _weights),
    "load_pso_tables": ("pso_gambler.csv", _tables),
}
"""File and row parser of each loader of the library."""


def loader_of(node: ast.stmt) -> str:
    """Loader whose result a statement assigns; empty if none."""
    called = node.value.func if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) and called.id in LOADERS else ""


def inline_table(library: Library, program: Closure, node: ast.stmt) -> str:
    """Replace the call of a loader by the table itself."""
    assert isinstance(node, ast.Assign)
    target = ast.unparse(node.targets[0])
    keys = list(_keys(program, target))
    rows = [(key, value) for key, value in _rows(library, loader_of(node)) if key in keys]
    return "\n".join([f"{target} = {{", *[f"    {key!r}: {value!r}," for key, value in rows], "}"])


def _keys(program: Closure, table: str) -> Iterator[Any]:
    """Yield the constant keys that a program looks up in a table."""
    for piece in program.pieces:
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == table:
                yield ast.literal_eval(node.slice)


def _rows(library: Library, loader: str) -> Iterator[Row]:
    file, parse_row = LOADERS[loader]
    for line in read_text(library.root / "data" / file, LARGE_FILE_BYTES).split("\n"):
        if line and not line.startswith("#"):
            yield parse_row(line.split(", "))


MESSAGE = "message"

_Node = TypeVar("_Node", bound=ast.AST)


def obfuscate_names(tree: ast.Module, library: Library) -> ast.Module:
    """Replace all own names: variables by ``v1``, ``v2``, ..., attributes by ``a1``, ``a2``, ...

    Texts of errors and warnings become one word.
    """
    _MessageMuter().visit(tree)
    return rename_names(tree, library, lambda name: True, "v{}", "a{}")


class _MessageMuter(ast.NodeTransformer):
    """Replaces the texts of errors and warnings by one word; other strings are data."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        return _mute_strings(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "warn":
            return _mute_strings(node)
        return self.generic_visit(node)


def _mute_strings(node: _Node) -> _Node:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            part.value = MESSAGE
    return node
