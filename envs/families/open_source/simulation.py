"""Programs that run and read other programs: what they may spend, how one is asked, and syntax trees as plain data."""

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
    if told := length_problem(source):
        raise ValueError(f"syntax_tree: the source has {told}")
    tree = parse_source(source)
    if isinstance(tree, Problem):
        raise SyntaxError(tree.text)
    return _node(tree, 0)


def _node(node: ast.AST, depth: int) -> dict[str, Any]:
    if depth > MAX_TREE_DEPTH:
        raise ValueError(f"syntax_tree: the source is nested more than {MAX_TREE_DEPTH} deep")
    found: dict[str, Any] = {"node": type(node).__name__}
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.Constant):
            found |= _constant(node.value)
            break
        if name not in _IGNORED_FIELDS:
            found[name] = _field(value, depth + 1)
    return found


_IGNORED_FIELDS = {"ctx", "kind", "type_comment", "type_ignores"}
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


MAX_HISTORY_LENGTH = 10_000
"""Rounds that a simulation may begin after."""


class Budget:
    """What one program may spend in one match; the programs that it simulates spend from the same.

    Attributes:
        has_crashed: Whether an interpreter died that nobody had asked to, be it of a program that was simulated.
    """

    def __init__(self, limits: Limits) -> None:
        """Begins with everything left.

        Args:
            limits: Of the program that pays.
        """
        self.remaining_simulations, self.used_simulations = limits.simulations, 0
        self.has_crashed = False
        self._limits, self._earlier = limits, 0.0
        self._deadline = self._began = math.inf

    @contextmanager
    def track_call(self) -> Iterator[None]:
        """One call of the program; a call inside it, of a simulated one, has the same deadline."""
        outermost = self._deadline == math.inf
        if outermost:
            self._deadline, self._began = monotonic() + self._limits.wall_seconds, thread_time()
        try:
            yield
        finally:
            if outermost:
                self._deadline, self._earlier = math.inf, self._earlier + thread_time() - self._began

    def remaining_seconds(self) -> float:
        """Seconds by the clock until the call must end."""
        return self._deadline - monotonic()

    def exceeded_limit(self) -> str:
        """What the call has used up, in words; empty if it may go on."""
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
        """Takes one simulation.

        Returns:
            Its number in this match, from 0.

        Raises:
            RuntimeError: None is left.
        """
        if self.remaining_simulations <= 0:
            raise RuntimeError("no simulations are left in this match")
        self.remaining_simulations -= 1
        self.used_simulations += 1
        return self.used_simulations - 1


def simulate(caller: Program, source: Any, history: Any, *state: Any, against: Any = None) -> Any:
    """The move that another program makes after a history, with the caller as its opponent.

    The other program runs in a fresh session: what it kept from earlier rounds is not there. Its random numbers depend
    on the caller's seed and on how many simulations there were. Its time is bounded by its own limit, and with all
    else that the caller asks for by `Limits.whole`; what this process does for it is the caller's (`Limits.seconds` for
    one call, `HOST_SECONDS` for all).

    Args:
        caller: Whose budget pays.
        source: The other program.
        history: Pairs [caller's move, other's move] of the rounds so far, oldest first. Where moves are dictionaries,
            None stands for who did not move.
        state: The board or the view in games that have one.
        against: What the other program reads as its opponent's source; by default the caller's.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: The history is too long or not made of pairs.
        RuntimeError: Nothing is left of the budget, simulations go too deep, or the other program gave no move.
    """
    mine, others = _split_history(history, str if caller.interface.moves else dict)
    against = caller.source if against is None else against
    if not isinstance(source, str) or not isinstance(against, str):
        raise TypeError("simulate: a source must be text")
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
    """The functions of the host that a program finds, by name; their errors speak of them as the program does."""

    def call_program(source: Any, history: Any, *state: Any, against: Any = None) -> Any:
        check_interrupted()
        return simulate(caller, source, history, *state, against=against)

    def read(source: Any) -> Any:
        return syntax_tree(source)

    call_program.__qualname__, read.__qualname__ = "simulate", "syntax_tree"
    return {"simulate": call_program, "syntax_tree": read}


def _split_history(history: Any, kind: type) -> tuple[list[Any], list[Any]]:
    """The moves of the caller and of the other."""
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
