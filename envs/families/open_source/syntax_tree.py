"""The syntax tree of a source as plain data, for programs that read each other."""

from __future__ import annotations

import ast
from typing import Any

from econzoo.envs.families.open_source.failures import Problem
from econzoo.envs.families.open_source.source import parsed, too_long

DEEPEST = 100
"""Nodes inside nodes; a deeper tree is refused."""


def syntax_tree(source: Any) -> dict[str, Any]:
    """The syntax tree of a source in plain dictionaries, lists, texts and numbers.

    A node is a dictionary with its kind under "node" and its fields by the names that Python's `ast` has, e.g.
    ``{"node": "Return", "value": {"node": "Constant", "value": "C"}}``. Places in the text, comments and the use of
    a name (load, store) are left out, so that two sources which differ in their layout alone have equal trees.
    Constants that JSON lacks (bytes, complex numbers, ``...``) are given by their printed form, with their type.

    Args:
        source: Python code.

    Raises:
        TypeError: The source is no text.
        ValueError: The source is too long, or nested too deeply.
        SyntaxError: The source is not Python.
    """
    if not isinstance(source, str):
        raise TypeError("syntax_tree: the source must be text")
    if told := too_long(source):
        raise ValueError(f"syntax_tree: the source has {told}")
    tree = parsed(source)
    if isinstance(tree, Problem):
        raise SyntaxError(tree.text)
    return _node(tree, 0)


def _node(node: ast.AST, depth: int) -> dict[str, Any]:
    if depth > DEEPEST:
        raise ValueError(f"syntax_tree: the source is nested more than {DEEPEST} deep")
    found: dict[str, Any] = {"node": type(node).__name__}
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.Constant):
            found |= _constant(node.value)
            break
        if name not in _LEFT_OUT:
            found[name] = _field(value, depth + 1)
    return found


_LEFT_OUT = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields that say nothing about what a program does."""


def _field(value: Any, depth: int) -> Any:
    if isinstance(value, ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
        return type(value).__name__
    if isinstance(value, ast.AST):
        return _node(value, depth)
    if isinstance(value, list):
        return [_field(item, depth) for item in value]
    return value


def _constant(value: Any) -> dict[str, Any]:
    if value is None or isinstance(value, str | bool | int | float):
        return {"value": value}
    return {"value": repr(value), "type": type(value).__name__}
