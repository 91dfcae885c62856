"""Budget of a program for simulations, and the syntax trees that it can ask for."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from typing import Any

from econzoo.envs.families.open_source.failures import Problem
from econzoo.envs.families.open_source.limits import HOST_SECONDS, Limits
from econzoo.envs.families.open_source.source import length_problem, parse_source

MAX_TREE_DEPTH = 100


def syntax_tree(source: Any) -> dict[str, Any]:
    """Return the syntax tree of a source as plain dictionaries, lists, strings and numbers.

    A node is a dictionary with its kind under "node" and its fields under the names of Python's `ast`, e.g.
    ``{"node": "Return", "value": {"node": "Constant", "value": "C"}}``. Positions, comments and contexts (load, store)
    are omitted, so that sources which differ only in layout have equal trees. Constants that JSON lacks (bytes, complex
    numbers, ``...``) are given by their `repr`, with their type.

    Raises:
        TypeError: The source is not a string.
        ValueError: The source is too long, or nested too deeply.
        SyntaxError: The source is not Python.
    """
    if not isinstance(source, str):
        raise TypeError("syntax_tree: the source must be text")
    if problem := length_problem(source):
        raise ValueError(f"syntax_tree: the source has {problem}")
    tree = parse_source(source)
    if isinstance(tree, Problem):
        raise SyntaxError(tree.text)
    return _node(tree, 0)


def _node(node: ast.AST, depth: int) -> dict[str, Any]:
    if depth > MAX_TREE_DEPTH:
        raise ValueError(f"syntax_tree: the source is nested more than {MAX_TREE_DEPTH} deep")
    fields: dict[str, Any] = {"node": type(node).__name__}
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.Constant):
            # Before its other field, `kind`, which only tells a u"" prefix.
            fields |= _constant(node.value)
            break
        if name not in _IGNORED_FIELDS:
            fields[name] = _field(value, depth + 1)
    return fields


_IGNORED_FIELDS = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields without effect on the behaviour of a program."""


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


class Budget:
    """Budget of a program in a match, shared with the programs that it simulates.

    Attributes:
        has_crashed: Whether an interpreter died unexpectedly, including those of simulated programs.
    """

    def __init__(self, limits: Limits) -> None:
        self.remaining_simulations, self.used_simulations = limits.simulations, 0
        self.has_crashed = False
        self._limits, self._spent = limits, 0.0
        self._deadline = self._began = math.inf

    @contextmanager
    def track_call(self) -> Iterator[None]:
        """Time one call of the program; nested calls of simulated programs share its deadline."""
        outermost = self._deadline == math.inf
        if outermost:
            self._deadline, self._began = monotonic() + self._limits.wall_seconds, thread_time()
        try:
            yield
        finally:
            if outermost:
                self._deadline, self._spent = math.inf, self._spent + thread_time() - self._began

    def remaining_seconds(self) -> float:
        """Wall-clock seconds until the deadline of the call."""
        return self._deadline - monotonic()

    def exceeded_limit(self) -> str:
        """Describe the limit that the call has exceeded; empty if none."""
        # CPU time of this thread: host functions run in it, and other threads of a server must not be charged to the
        # program.
        limits, now = self._limits, thread_time() - self._began
        if now > limits.seconds:
            return f"took longer than {limits.seconds:g} seconds for the simulations and syntax trees that it asked for"
        if self._spent + now > HOST_SECONDS:
            return f"took longer than {HOST_SECONDS:g} seconds of the host in all its turns"
        return (
            ""
            if self.remaining_seconds() > 0
            else f"took longer than {limits.wall_seconds:g} seconds with its simulations"
        )

    def spend_simulation(self) -> int:
        """Charge one simulation.

        Returns:
            Its index in this match, from 0.
        """
        if self.remaining_simulations <= 0:
            raise RuntimeError("no simulations are left in this match")
        self.remaining_simulations -= 1
        self.used_simulations += 1
        return self.used_simulations - 1
