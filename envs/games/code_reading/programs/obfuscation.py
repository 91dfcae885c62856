"""Programs whose own names mean nothing: variables, functions, constants, attributes, methods; nor do messages."""

from __future__ import annotations

import ast
from typing import TypeVar

from econzoo.envs.games.code_reading.programs.installed import Library
from econzoo.envs.games.code_reading.programs.renaming import renamed

MESSAGE = "message"

_Node = TypeVar("_Node", bound=ast.AST)


def obfuscated(tree: ast.Module, library: Library) -> ast.Module:
    """The tree with every name of its own replaced: variables ``v1``, ``v2``, ..., attributes ``a1``, ``a2``, ...

    The texts of errors and warnings are one word.
    """
    _Mute().visit(tree)
    return renamed(tree, library, lambda name: True, "v{}", "a{}")


class _Mute(ast.NodeTransformer):
    """Puts one word for the sentences of errors and warnings; other strings are data."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        return _silenced(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "warn":
            return _silenced(node)
        return self.generic_visit(node)


def _silenced(node: _Node) -> _Node:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            part.value = MESSAGE
    return node
