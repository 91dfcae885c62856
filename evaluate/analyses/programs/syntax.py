"""The syntax tree of a program, or none where there is nothing to measure: its functions, and what assignments bind."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from econzoo.envs.families.open_source import source as programs

MAX_DEPTH = 150
"""Levels of a tree that is measured. Programs of people have some thirty; a deeper one is made to break its readers."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
OwnFunction = Function | ast.Lambda


@lru_cache(maxsize=1024)  # several measures read a program, and players submit the same one again
def parse_program(source: str | None) -> ast.Module | None:
    """The tree of a program, never changed; None if there is none, it is not Python, or it is nested too deeply.

    Args:
        source: The text; None or blank where there is no program.
    """
    if source is None or not source.strip():
        return None
    tree = programs.parse_source(source)
    return tree if isinstance(tree, ast.Module) and _depth(tree) <= MAX_DEPTH else None


def _depth(tree: ast.AST) -> int:
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def dotted_name(node: ast.AST) -> str | None:
    """``a`` or ``a.b.c`` where that is what the expression is, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted_name(node.value)):
        return f"{base}.{node.attr}"
    return None


# Functions and their parameters


def own_functions(tree: ast.Module) -> defaultdict[str, list[OwnFunction]]:
    """The functions of a program by name, those of ``name = lambda ...`` too."""
    found: defaultdict[str, list[OwnFunction]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            found[node.name].append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id].append(node.value)
    return found


def positional_parameters(function: OwnFunction) -> list[str]:
    """Names of the parameters that take arguments by position."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


def all_parameters(function: OwnFunction) -> list[str]:
    """Names of all parameters."""
    given = function.args
    return [
        *positional_parameters(function),
        *(one.arg for one in given.kwonlyargs),
        *variadic_name(given.vararg),
        *variadic_name(given.kwarg),
    ]


def variadic_name(parameter: ast.arg | None) -> list[str]:
    """The name of ``*args`` or ``**kwargs``, if there is one."""
    return [] if parameter is None else [parameter.arg]


def default_values(function: OwnFunction) -> list[tuple[str, ast.expr]]:
    """Parameters with their default values."""
    given = function.args
    by_position = zip(reversed(positional_parameters(function)), reversed(given.defaults), strict=False)
    by_keyword = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*by_position, *((one.arg, value) for one, value in by_keyword if value is not None)]


# What assignments bind: names, parts of tuples, captures of patterns


def captured_names(pattern: ast.pattern) -> Iterator[str]:
    """Names that a pattern of ``match`` binds."""
    for node in ast.walk(pattern):
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def assignment_pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
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
            name = dotted_name(target)
            if name:
                bind_name(name, marked, marks)


def bind_name(name: str, marked: bool, marks: set[str]) -> None:
    """Marks a name, or clears it."""
    if marked:
        marks.add(name)
    else:
        marks.discard(name)
