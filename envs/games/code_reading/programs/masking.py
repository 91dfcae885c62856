"""Variants of programs without comments and docstrings, and with masked names of strategies.

Masked classes are numbered, and so are their ``name`` attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeGuard

from econzoo.envs.games.code_reading.programs.axelrod_source import Library
from econzoo.envs.games.code_reading.programs.renaming import ENGINE, attribute_names, rename_names


def strip_comments(tree: ast.Module, library: Library) -> ast.Module:
    """Remove docstrings and other string statements from the tree; comments are not part of it."""
    _Stripper().visit(tree)
    return tree


class Remover(ast.NodeTransformer):
    """Removes statements from a tree; an empty body becomes ``pass``."""

    def is_unwanted(self, node: ast.stmt) -> bool:
        raise NotImplementedError

    def visit(self, node: ast.AST) -> ast.AST | None:
        """Return the node without unwanted statements; None if it is unwanted itself."""
        if isinstance(node, ast.stmt) and self.is_unwanted(node):
            return None
        super().generic_visit(node)
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node


class _Stripper(Remover):
    def is_unwanted(self, node: ast.stmt) -> bool:
        is_expression = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return is_expression and isinstance(node.value.value, str)  # type: ignore[attr-defined]


COMMON_MODULES = tuple(module for module in ENGINE if module != "strategy_transformers")
"""Modules whose words reveal no strategy; names of transformers do."""

MIN_WORD_LENGTH = 4
"""Minimum length of a revealing word."""


def split_words(name: str) -> frozenset[str]:
    """Split a name or text into lower-case words: ``GoByMajority40`` has go, by and majority."""
    spaced = []
    for place, letter in enumerate(name):
        left, right = name[place - 1 : place], name[place + 1 : place + 2]
        if letter.isupper() and (left.islower() or (left.isupper() and right.islower())):
            spaced.append(" ")
        spaced.append(letter if letter.isalpha() else " ")
    return frozenset("".join(spaced).lower().split())


def revealing_words(name: str, library: Library) -> frozenset[str]:
    """Words of a strategy's name that reveal it.

    Excluded are words of fewer than four letters, those that only spell moves (``CCD``), and common words of the
    library's engine and of Python, such as ``random``, ``memory`` and ``strategy``.
    """
    return frozenset(
        word
        for word in split_words(name) - common_words(library)
        if len(word) >= MIN_WORD_LENGTH and not set(word) <= {"c", "d"}
    )


@lru_cache(maxsize=8)
def common_words(library: Library) -> frozenset[str]:
    """Words in the names of the library's engine, and in the keys of classifiers."""
    trees = [library.module(f"axelrod.{module}").tree for module in COMMON_MODULES]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    keys = {text for text in texts if text.isidentifier()}
    names = {name for node in nodes for name in attribute_names(node)}
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    return frozenset(word for name in keys | names | classes | {"self", "strategy"} for word in split_words(name))


STRATEGY, TABLE, TEXT = "Strategy{}", "table {}", "text {}"


def mask_names(tree: ast.Module, library: Library) -> ast.Module:
    """Rename the classes of strategies to ``Strategy1``, ``Strategy2``, ..., in the order of the text.

    Strings that name a strategy are masked too: the attribute ``name`` of a class, the keys of its tables, and names of
    masked classes. ``__repr__`` and assignments to ``self.name`` are removed, as they do not affect play. Variables,
    methods and strings with the name of a strategy, or a revealing word of it (`revealing_words`), are numbered.
    """
    classes = strategies(tree)
    names = {name: STRATEGY.format(number + 1) for number, name in enumerate(classes)}
    keys = {key: TABLE.format(number + 1) for number, key in enumerate(table_keys(tree))}
    traces = Traces(classes, library)
    _NameRemover().visit(tree)
    texts = [text for text in strings(tree) if text not in names and text not in keys and traces.occur_in(text)]
    keys |= {text: TEXT.format(number + 1) for number, text in enumerate(texts)}
    _Masker(names, keys).visit(tree)
    return rename_names(tree, library, traces.occur_in, "name{}", "part{}")


class Traces:
    """Finds traces of strategies' names in other names."""

    def __init__(self, classes: Iterable[str], library: Library) -> None:
        known = list(classes)
        self._whole = [plain for name in known if len(plain := _normalise(name)) >= MIN_WORD_LENGTH]
        self._words = frozenset(word for name in known for word in revealing_words(name, library))

    def occur_in(self, name: str) -> bool:
        """Whether a name or text contains a strategy's name, or a revealing word of one."""
        return any(trace in _normalise(name) for trace in self._whole) or bool(self._words & split_words(name))


def _normalise(name: str) -> str:
    return name.lower().replace("_", "")


def strings(tree: ast.Module) -> list[str]:
    """String values of a program in order, without the ``name`` attributes of classes."""
    own = {id(s.value) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for s in n.body if _names_itself(s)}
    values = [node.value for node in ast.walk(tree) if _is_text(node) and id(node) not in own]  # type: ignore[attr-defined]
    return list(dict.fromkeys(values))


def strategies(tree: ast.Module) -> list[str]:
    """Names of the strategy classes of a program, in order."""
    classes: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_strategy(node):
            classes.append(node.name)
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and _is_wrapped_strategy(node.value, classes)
        ):
            classes += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return classes


def _is_strategy(node: ast.ClassDef) -> bool:
    """Whether a class is a player or a part of one: all but plain tuples and enumerations."""
    return not any(isinstance(base, ast.Name) and base.id in ("NamedTuple", "IntEnum", "Enum") for base in node.bases)


def _is_wrapped_strategy(call: ast.Call, known: list[str]) -> bool:
    """Whether a call wraps a strategy: ``NiceTransformer()(Known)``."""
    return isinstance(call.func, ast.Call) and any(isinstance(a, ast.Name) and a.id in known for a in call.args)


def table_keys(tree: ast.Module) -> list[str]:
    """Strings in the keys of top-level tables of a program."""
    tables = [node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)]
    keys = [n.value for table in tables for key in table.keys if key for n in ast.walk(key) if _is_text(n)]  # type: ignore[attr-defined]
    return list(dict.fromkeys(keys))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class _NameRemover(Remover):
    def is_unwanted(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            return node.name in ("__repr__", "__str__")
        targets = node.targets if isinstance(node, ast.Assign) else []
        return any(isinstance(target, ast.Attribute) and target.attr == "name" for target in targets)


class _Masker(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], keys: dict[str, str]) -> None:
        self.names, self.keys = names, keys

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            node.value = self.keys.get(node.value, self.names.get(node.value, node.value))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.names.get(node.name, node.name)
        for statement in node.body:
            if _names_itself(statement):
                statement.value = ast.Constant(node.name)
        self.generic_visit(node)
        return node


def _names_itself(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """Whether a statement sets the ``name`` attribute of its class."""
    if not isinstance(node, ast.Assign) or not _is_text(node.value):
        return False
    return any(isinstance(target, ast.Name) and target.id == "name" for target in node.targets)
