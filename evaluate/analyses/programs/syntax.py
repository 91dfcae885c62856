"""Syntax tree of a program: its functions, and the names that assignments bind."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from econzoo.envs.families.open_source import source as programs

MAX_DEPTH = 150
"""Maximum depth of a tree. Programs by people have about thirty levels; deeper ones are attacks on parsers."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
OwnFunction = Function | ast.Lambda


@lru_cache(maxsize=1024)  # several measures parse a program, and players resubmit programs
def parse_program(source: str | None) -> ast.Module | None:
    """Parse a program into a shared read-only tree; None if it is missing or blank, invalid, or nested too deeply."""
    if source is None or not source.strip():
        return None
    tree = programs.parse_source(source)
    return tree if isinstance(tree, ast.Module) and _depth(tree) <= MAX_DEPTH else None


def _depth(tree: ast.AST) -> int:
    # Level by level, up to the limit: a recursive walk would itself fail on the trees that this is to find.
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def dotted_name(node: ast.AST) -> str | None:
    """Return ``a`` or ``a.b.c`` if the expression is such a name, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted_name(node.value)):
        return f"{base}.{node.attr}"
    return None


# Functions and their parameters


def own_functions(tree: ast.Module) -> defaultdict[str, list[OwnFunction]]:
    """Return the functions of a program by name, including ``name = lambda ...``."""
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
    """Return the names of parameters that accept positional arguments."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


def all_parameters(function: OwnFunction) -> list[str]:
    given = function.args
    return [
        *positional_parameters(function),
        *(one.arg for one in given.kwonlyargs),
        *variadic_name(given.vararg),
        *variadic_name(given.kwarg),
    ]


def variadic_name(parameter: ast.arg | None) -> list[str]:
    """Return the name of ``*args`` or ``**kwargs`` in a list; empty without one."""
    return [] if parameter is None else [parameter.arg]


def default_values(function: OwnFunction) -> list[tuple[str, ast.expr]]:
    """Return the parameters that have a default, with its expression."""
    given = function.args
    # Defaults belong to the last parameters, so both are paired from the end.
    by_position = zip(reversed(positional_parameters(function)), reversed(given.defaults), strict=False)
    by_keyword = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*by_position, *((one.arg, value) for one, value in by_keyword if value is not None)]


# Bindings of names, parts of tuples, and captures of patterns


def captured_names(pattern: ast.pattern) -> Iterator[str]:
    """Yield the names that a pattern of ``match`` binds."""
    for node in ast.walk(pattern):
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def assignment_pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Pair targets with values, part by part if both are tuples or lists of the same length."""
    match target, value:
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), (ast.Tuple(elts=given) | ast.List(elts=given))):
            if len(names) == len(given) and not any(isinstance(one, ast.Starred) for one in (*names, *given)):
                return list(zip(names, given, strict=True))
    return [(target, value)]


def bind(target: ast.expr, marked: bool, marks: set[str]) -> None:
    """Bind a target: mark or clear a name; an item can only mark its container."""
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
    if marked:
        marks.add(name)
    else:
        marks.discard(name)
