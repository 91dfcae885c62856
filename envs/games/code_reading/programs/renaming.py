"""Consistent renaming of a program's own names, which preserves its behaviour.

Every occurrence of a name gets the same new name, over all classes. Variables and attributes are separate vocabularies:
*variables* (bound by functions and the program, and keywords in calls of the program's own functions) and *attributes*
(methods, class attributes, ``self.x``). External names are kept: imported and built-in names, the names of the
library's engine (`Player`, its history, game and match), and those of Python's types.
"""

from __future__ import annotations

import ast
import builtins
import collections
import fractions
import random
from collections.abc import Callable, Iterator
from functools import lru_cache

from econzoo.envs.games.code_reading.programs.axelrod_source import Library, defined_names

ENGINE = (
    "action",
    "classifier",
    "evolvable_player",
    "game",
    "history",
    "match",
    "player",
    "random_",
    "strategy_transformers",
)
"""Modules of the library's engine, whose names are kept."""

TYPES = (list, dict, set, frozenset, tuple, str, bytes, int, float, complex, object, type, slice, property, Exception)
MORE_TYPES = (
    collections.defaultdict,
    collections.Counter,
    collections.deque,
    collections.OrderedDict,
    fractions.Fraction,
)


def rename_names(
    tree: ast.Module, library: Library, should_rename: Callable[[str], bool], variable: str, attribute: str
) -> ast.Module:
    """Replace those of a program's own names that `should_rename` selects.

    Args:
        variable: Format of new names of variables, with a field for their number.
        attribute: Format of new names of attributes.
    """
    names = _Names(tree, engine_names(library))
    variables = {name: variable.format(n) for n, name in enumerate(filter(should_rename, names.variables), 1)}
    attributes = {name: attribute.format(n) for n, name in enumerate(filter(should_rename, names.attributes), 1)}
    return _Renamer(variables, attributes, names.functions).visit(tree)


@lru_cache(maxsize=8)
def engine_names(library: Library) -> frozenset[str]:
    """Attributes of the library's engine, of Python's types and of arrays."""
    names = {name for kind in (*TYPES, *MORE_TYPES, random.Random) for name in dir(kind)}
    for module in ENGINE:
        for node in ast.walk(library.module(f"axelrod.{module}").tree):
            names.update(attribute_names(node))
    return frozenset(names | ARRAYS)


ARRAYS = frozenset(
    {"shape", "size", "sum", "mean", "dot", "flatten", "argmax", "argmin", "tolist", "astype", "max", "min"}
)


def attribute_names(node: ast.AST) -> Iterator[str]:
    """Yield the attributes that a node reads, writes or defines."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.ClassDef):
        yield from _bound_names(node)


def _bound_names(node: ast.ClassDef) -> set[str]:
    """Names that the body of a class binds."""
    return {name for statement in node.body for name in defined_names(statement)}


class _Names:
    """The program's own names, in the order of the text.

    Attributes:
        functions: Functions, classes and methods of the program, in calls of which keywords are renamed.
    """

    def __init__(self, tree: ast.Module, engine: frozenset[str]) -> None:
        self._variables: dict[str, None] = {}
        self._attributes: dict[str, None] = {}
        self.functions: set[str] = set()
        imported = {alias.asname or alias.name.partition(".")[0] for alias in _aliases(tree)}
        self._collect(tree, in_class=False)
        outside = imported | set(dir(builtins)) | {"self", "cls"}
        self.variables = [name for name in self._variables if name not in outside and not _is_dunder(name)]
        self.attributes = [name for name in self._attributes if name not in engine and not _is_dunder(name)]
        self.functions -= engine - {"__init__"}  # super().set_seed(seed=...) calls the library

    def _collect(self, node: ast.AST, in_class: bool) -> None:
        for child in ast.iter_child_nodes(node):
            self._bind(child, in_class)
            self._collect(child, isinstance(child, ast.ClassDef) or (in_class and _is_plain(child)))

    def _bind(self, node: ast.AST, in_class: bool) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            (self._attributes if in_class else self._variables)[node.name] = None
            self.functions.add(node.name)
        elif isinstance(node, ast.arg):
            self._variables[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            (self._attributes if in_class else self._variables)[node.id] = None
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            self._attributes[node.attr] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._variables[node.name] = None


def _is_plain(node: ast.AST) -> bool:
    """Whether a node opens no scope of its own."""
    scopes = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return not isinstance(node, scopes)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _aliases(tree: ast.Module) -> Iterator[ast.alias]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from node.names


class _Renamer(ast.NodeTransformer):
    """Inserts the new names; a name in the body of a class is an attribute if the class binds it."""

    def __init__(self, variables: dict[str, str], attributes: dict[str, str], functions: set[str]) -> None:
        self.variables, self.attributes, self.functions = variables, attributes, functions
        self._bound_by_class: set[str] = set()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        inside = self._bound_by_class
        # Decorators, bases and keywords are evaluated in the scope around the class.
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        node.name = (self.attributes if node.name in inside else self.variables).get(node.name, node.name)
        self._bound_by_class = _bound_names(node)
        node.body = [self.visit(statement) for statement in node.body]
        self._bound_by_class = inside
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        inside = self._bound_by_class
        # Decorators and defaults are evaluated in the scope around the function, which may be a class.
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.name = (self.attributes if node.name in inside else self.variables).get(node.name, node.name)
        # The body of a function does not see the names that its class binds.
        self._bound_by_class = set()
        node.args = self.visit(node.args)
        node.returns = self.visit(node.returns) if node.returns else None
        node.body = [self.visit(statement) for statement in node.body]
        self._bound_by_class = inside
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        for argument in (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg):
            if argument is not None:
                argument.arg = self.variables.get(argument.arg, argument.arg)
                argument.annotation = self.visit(argument.annotation) if argument.annotation else None
        node.kw_defaults = [default and self.visit(default) for default in node.kw_defaults]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.args = self.visit(node.args)
        # `visit_arguments` leaves the defaults of parameters out: a function renames them in the scope around it.
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.body = self.visit(node.body)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        names = self.attributes if node.id in self._bound_by_class else self.variables
        node.id = names.get(node.id, node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = self.variables.get(node.name, node.name) if node.name else None
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self.attributes.get(node.attr, node.attr)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._is_own(node.func):
            for keyword in node.keywords:
                keyword.arg = self.variables.get(keyword.arg, keyword.arg) if keyword.arg else None
        return self.generic_visit(node)

    def _is_own(self, called: ast.expr) -> bool:
        """Whether a function, class or method of the program is called."""
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        return name in self.functions
