"""Host functions for programs that run and read other programs: `simulate`, `syntax_tree` and their budget."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from econzoo.envs.families.open_source.failures import Failure, Problem
from econzoo.envs.families.open_source.interrupts import check_interrupted
from econzoo.envs.families.open_source.limits import HOST_SECONDS, Limits
from econzoo.envs.families.open_source.source import length_problem, parse_source

if TYPE_CHECKING:
    from econzoo.envs.families.open_source.program import Program

MAX_TREE_DEPTH = 100
"""Maximum nesting depth of a syntax tree."""


def syntax_tree(source: Any) -> dict[str, Any]:
    """Return the syntax tree of a source as plain dictionaries, lists, strings and numbers.

    A node is a dictionary with its kind under "node" and its fields under the names of Python's `ast`, e.g.
    ``{"node": "Return", "value": {"node": "Constant", "value": "C"}}``. Positions, comments and contexts (load, store)
    are omitted, so that sources which differ only in layout have equal trees. Constants that JSON lacks (bytes, complex
    numbers, ``...``) are given by their `repr`, with their type.

    Args:
        source: Python code.

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


MAX_HISTORY_LENGTH = 10_000
"""Maximum number of rounds in the history of a simulation."""


class Budget:
    """Budget of a program in a match, shared with the programs that it simulates.

    Attributes:
        has_crashed: Whether an interpreter died unexpectedly, including those of simulated programs.
    """

    def __init__(self, limits: Limits) -> None:
        """Create a full budget.

        Args:
            limits: Limits of the program that is charged.
        """
        self.remaining_simulations, self.used_simulations = limits.simulations, 0
        self.has_crashed = False
        self._limits, self._earlier = limits, 0.0
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
                self._deadline, self._earlier = math.inf, self._earlier + thread_time() - self._began

    def remaining_seconds(self) -> float:
        """Wall-clock seconds until the deadline of the call."""
        return self._deadline - monotonic()

    def exceeded_limit(self) -> str:
        """Describe the limit that the call has exceeded; empty if none."""
        limits, now = self._limits, thread_time() - self._began
        if now > limits.seconds:
            return f"took longer than {limits.seconds:g} seconds for the simulations and syntax trees that it asked for"
        if self._earlier + now > HOST_SECONDS:
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

        Raises:
            RuntimeError: No simulation is left.
        """
        if self.remaining_simulations <= 0:
            raise RuntimeError("no simulations are left in this match")
        self.remaining_simulations -= 1
        self.used_simulations += 1
        return self.used_simulations - 1


def simulate(caller: Program, source: Any, history: Any, *state: Any, against: Any = None) -> Any:
    """Return the move of another program after a history, with the caller as its opponent.

    The other program runs in a fresh session without state from earlier rounds. Its random numbers depend on the
    caller's seed and the number of earlier simulations. Its time is bounded by its own limit, and the total of a call
    by `Limits.wall_seconds`; host computation is charged to the caller (`Limits.seconds` per call, `HOST_SECONDS` per
    match).

    Args:
        caller: The program whose budget is charged.
        source: Source of the other program.
        history: Pairs [caller's move, other's move] of the rounds so far, oldest first. If moves are dictionaries, None
            is a seat that did not move.
        state: Board or view, in games with position parameters.
        against: Source that the other program reads as its opponent's; default: the caller's.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The history is too long, or not a list of pairs.
        RuntimeError: The budget is exhausted, simulations are nested too deeply, or the other program gave no move.
    """
    mine, others = _split_history(history, str if caller.interface.moves else dict)
    against = caller.source if against is None else against
    if not isinstance(source, str) or not isinstance(against, str):
        raise TypeError("simulate: invalid source: expected text")
    if len(state) != len(caller.interface.position_parameters):
        raise TypeError(f"simulate takes {len(caller.interface.position_parameters) + 2} arguments in this game")
    if caller.depth >= caller.limits.depth:
        raise RuntimeError(f"simulations inside simulations go {caller.limits.depth} deep at most")
    other = caller.spawn_simulation(source, against, caller.budget.spend_simulation())
    try:
        answer = other.answer(*state, others, mine, source, against)
    finally:
        other.close()
    if answer.value is None or answer.failure is not Failure.NONE:
        raise RuntimeError(f"the simulated program gave no move ({answer.failure.label}): {answer.text}")
    return answer.value


def host_functions(caller: Program) -> dict[str, Callable[..., Any]]:
    """Return the host functions of a program by name; errors use these names."""

    def call_program(source: Any, history: Any, *state: Any, against: Any = None) -> Any:
        check_interrupted()
        return simulate(caller, source, history, *state, against=against)

    def read(source: Any) -> Any:
        return syntax_tree(source)

    call_program.__qualname__, read.__qualname__ = "simulate", "syntax_tree"
    return {"simulate": call_program, "syntax_tree": read}


def _split_history(history: Any, kind: type) -> tuple[list[Any], list[Any]]:
    """Split a history into the moves of the caller and of the other."""
    if not isinstance(history, list | tuple):
        raise TypeError("simulate: the history must be a list of [own move, other's move]")
    if len(history) > MAX_HISTORY_LENGTH:
        raise ValueError(f"simulate: the history may have {MAX_HISTORY_LENGTH} rounds at most")
    allowed = {kind} if kind is str else {kind, type(None)}
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and {*map(type, pair)} <= allowed for pair in history):
        words = "both text" if kind is str else "dictionaries, or None"
        raise ValueError(f"simulate: the history must be a list of [own move, other's move], {words}")
    mine, others = ([pair[side] for pair in history if pair[side] is not None] for side in (0, 1))
    return mine, others
