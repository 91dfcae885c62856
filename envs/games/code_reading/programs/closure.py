"""Everything that a strategy needs in order to run, parents first: a closure over the files of the library.

Written out are the class, its parents, the classes it plays by, and the helper functions and constants of the modules
of strategies. What stays an import: the standard library, numpy and the like, the library's engine (`Player`, `Action`,
transformers, ...), and lists of all strategies, which no text could hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from econzoo.envs.games.code_reading.programs.installed import Library, Module, Place, defined_names

WHOLE_LIBRARY = ("all_strategies", "ordinary_strategies")
"""Names that stand for lists of all strategies."""


class Piece(NamedTuple):
    """One statement of a program.

    Attributes:
        module: The module it comes from.
        node: The statement.
    """

    module: Module
    node: ast.stmt


class Closure(NamedTuple):
    """A program in parts.

    Attributes:
        imports: Name in the program to where it is imported from.
        pieces: The statements, each after those it needs; the strategy itself is the last.
    """

    imports: dict[str, Place]
    pieces: list[Piece]


def closure(library: Library, strategy: Place) -> Closure:
    """What a strategy needs.

    Args:
        library: The files.
        strategy: Where it is defined.

    Raises:
        ValueError: It is not there, or two things of one name would have to stand in one text.
    """
    if strategy.name not in library.module(strategy.module).definitions:
        raise ValueError(f"Axelrod {library.version} has no strategy {strategy.name} in {strategy.module}")
    search = _Search(library)
    search.visit(strategy)
    return Closure(search.imports, search.pieces)


class _Search:
    """Depth first: a statement is put down after everything it refers to."""

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
            target = self.library.home(module.imports[name])
        else:
            return
        if target is None or name in WHOLE_LIBRARY:
            self._import(name, module.imports.get(name, Place(module.name, name)))
        else:
            self.visit(target)
            if target.name != name:
                self._alias(name, target.name)

    def _alias(self, name: str, target: str) -> None:
        """A strategy imported by another name: the program says so in a line of its own."""
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
        raise ValueError(f"two different things are called {name!r} in one program")


def _names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement refers to, those of parents first, annotations included."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
