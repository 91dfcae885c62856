"""The functions that a program defines, and their parameters."""

from __future__ import annotations

import ast
from collections import defaultdict

from econzoo.evaluate.programs.syntax import Function

Own = Function | ast.Lambda


def own_functions(tree: ast.Module) -> defaultdict[str, list[Own]]:
    """The functions of a program by name, those of ``name = lambda ...`` too."""
    found: defaultdict[str, list[Own]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            found[node.name].append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id].append(node.value)
    return found


def positional(function: Own) -> list[str]:
    """Names of the parameters that take arguments by position."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


def every_parameter(function: Own) -> list[str]:
    """Names of all parameters."""
    given = function.args
    return [*positional(function), *(one.arg for one in given.kwonlyargs), *rest(given.vararg), *rest(given.kwarg)]


def rest(parameter: ast.arg | None) -> list[str]:
    """The name of ``*args`` or ``**kwargs``, if there is one."""
    return [] if parameter is None else [parameter.arg]


def with_defaults(function: Own) -> list[tuple[str, ast.expr]]:
    """Parameters with their default values."""
    given = function.args
    by_position = zip(reversed(positional(function)), reversed(given.defaults), strict=False)
    by_keyword = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*by_position, *((one.arg, value) for one, value in by_keyword if value is not None)]
