"""What assignments bind: names, parts of tuples, captures of patterns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from econzoo.evaluate.programs.syntax import dotted


def captures(pattern: ast.pattern) -> Iterator[str]:
    """Names that a pattern of ``match`` binds."""
    for node in ast.walk(pattern):
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def parts(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Targets with their values: part by part if both are tuples or lists of the same length."""
    match target, value:
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), (ast.Tuple(elts=given) | ast.List(elts=given))):
            if len(names) == len(given) and not any(isinstance(one, ast.Starred) for one in (*names, *given)):
                return list(zip(names, given, strict=True))
    return [(target, value)]


def bind(target: ast.expr, marked: bool, marks: set[str]) -> None:
    """Gives a value to a target: a name is marked or cleared, a part of something can only mark the whole."""
    match target:
        case ast.Tuple(elts=inner) | ast.List(elts=inner):
            for part in inner:
                bind(part, marked, marks)
        case ast.Starred(value=value):
            bind(value, marked, marks)
        case ast.Subscript(value=value):
            if marked:
                bind(value, marked, marks)
        case _:
            name = dotted(target)
            if name:
                bind_name(name, marked, marks)


def bind_name(name: str, marked: bool, marks: set[str]) -> None:
    """Marks a name, or clears it."""
    if marked:
        marks.add(name)
    else:
        marks.discard(name)
