"""The syntax tree of a program, or none where there is nothing to measure."""

from __future__ import annotations

import ast

from econzoo.envs.families.open_source import source as programs

DEEPEST = 150
"""Levels of a tree that is measured. Programs of people have some thirty; a deeper one is made to break its readers."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(source: str | None) -> ast.Module | None:
    """The tree of a program; None if there is no program, it is not Python, or it is nested too deeply.

    Args:
        source: The text; None or blank where there is no program.
    """
    if source is None or not source.strip():
        return None
    tree = programs.parsed(source)
    return tree if isinstance(tree, ast.Module) and _depth(tree) <= DEEPEST else None


def _depth(tree: ast.AST) -> int:
    level, depth = [tree], 0
    while level and depth <= DEEPEST:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def dotted(node: ast.AST) -> str | None:
    """``a`` or ``a.b.c`` where that is what the expression is, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f"{base}.{node.attr}"
    return None
