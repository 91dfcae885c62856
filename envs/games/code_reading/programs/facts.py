"""Facts about a program: counts in its syntax tree, and a static analysis of its play against a cooperator."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from econzoo.envs.games.code_reading.programs.abstract_interpretation import (
    BINARY,
    ENGINE,
    MAX_CALL_DEPTH,
    OTHER_PLAYER,
    OWN_PLAYER,
    UNKNOWN,
    Expressions,
    Scope,
    apply_function,
    is_same_value,
    truth_value,
)
from econzoo.envs.games.code_reading.programs.axelrod_source import parse_module

ROUNDS = 10
MOST_CALLS = 200
"""Maximum number of calls followed per round: calls in both branches of unknown conditions multiply."""


def moves(text: str, rounds: int = ROUNDS) -> str:
    """Derive the moves of a program's last strategy against a cooperator, given cooperation so far: C, D or ?.

    Args:
        text: A rendered program.
        rounds: Length of the match, known to the strategy.
    """
    return _Reader(parse_module(text), rounds).moves()


class _Reader(Expressions):
    def __init__(self, tree: ast.Module, rounds: int) -> None:
        self.rounds, self.round, self.calls = rounds, 0, 0
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.constants: dict[str, Any] = {"Action": ENGINE}
        self.wrappers: list[ast.Call] = []
        scope = Scope(self.constants, {})
        for node in tree.body:
            if isinstance(node, ast.Assign):
                self._statement(node, scope)
        self.parents = self._parents(self._last_strategy(tree.body[-1]))

    def _last_strategy(self, node: ast.stmt) -> str:
        if isinstance(node, ast.ClassDef):
            return node.name
        call = node.value if isinstance(node, ast.Assign) else None  # Nice = NiceTransformer()(Known)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Call) and isinstance(call.args[0], ast.Name):
            self.wrappers.append(call.func)
            return call.args[0].id
        return ""

    def _parents(self, name: str) -> list[ast.ClassDef]:
        """Method resolution order of the program's classes; also collects the wrappers of parents."""
        classes: list[ast.ClassDef] = []
        while name in self.classes:
            node = self.classes[name]
            classes.append(node)
            self.wrappers += [call for call in node.decorator_list if isinstance(call, ast.Call)]
            name = next((base.id for base in node.bases if isinstance(base, ast.Name)), "")
        return classes

    # -- a match -------------------------------------------------------------------------------------------

    def moves(self) -> str:
        """Return one letter per round."""
        attributes: dict[str, Any] = {}
        for parent in reversed(self.parents):
            for node in parent.body:
                self._statement(node, Scope(attributes, attributes))
        self._method("__init__", 0, Scope({}, attributes), [], {})
        self._method("receive_match_attributes", 0, Scope({}, attributes), [], {})
        played = []
        for number in range(self.rounds):
            self.round, self.calls = number, 0
            move = self._method("strategy", 0, Scope({}, attributes), [OTHER_PLAYER], {})
            played.append(self._apply_wrappers(move))
        return "".join(move if move in ("C", "D") else "?" for move in played)

    def _apply_wrappers(self, move: Any) -> Any:
        """Apply the library's wrappers to a move, the outermost last."""
        for call in reversed(self.wrappers):
            kind = call.func.id if isinstance(call.func, ast.Name) else ""
            given = self._value(call.args[0], Scope(self.constants, {})) if call.args else None
            if kind == "FinalTransformer" and isinstance(given, tuple) and self.round >= self.rounds - len(given):
                move = given[self.round - self.rounds]
            elif kind == "InitialTransformer" and isinstance(given, tuple) and self.round < len(given):
                move = given[self.round]
            elif kind == "NiceTransformer":
                move = "C"
        return move

    # -- calls ---------------------------------------------------------------------------------------------

    def _method(self, name: str, start: int, scope: Scope, given: list[Any], named: dict[str, Any]) -> Any:
        for place in range(start, len(self.parents)):
            for node in self.parents[place].body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
                    return self._enter(node, given if static else [OWN_PLAYER, *given], named, scope, place)
        return None if name in ("__init__", "receive_match_attributes", "set_seed", "reset") else UNKNOWN

    def _enter(self, node: ast.FunctionDef, given: list[Any], named: dict[str, Any], scope: Scope, owner: int) -> Any:
        self.calls += 1
        if scope.depth >= MAX_CALL_DEPTH or self.calls > MOST_CALLS:
            return UNKNOWN
        arguments = [argument.arg for argument in node.args.args]
        defaults = [self._value(default, scope) for default in node.args.defaults]
        names = dict.fromkeys(arguments, UNKNOWN)
        names |= dict(zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True))
        names |= dict(zip(arguments, given, strict=False)) | {k: v for k, v in named.items() if k in names}
        inner = Scope(names, scope.attributes, owner, scope.depth + 1)
        results, goes_on = self._block(node.body, inner)
        results += [None] if goes_on else []
        return results[0] if all(is_same_value(results[0], other) for other in results) else UNKNOWN

    # -- statements ----------------------------------------------------------------------------------------

    def _block(self, statements: list[ast.stmt], scope: Scope) -> tuple[list[Any], bool]:
        """Return the possible return values, and whether the code after the block is reachable."""
        results: list[Any] = []
        for node in statements:
            if isinstance(node, ast.Return):
                return [*results, None if node.value is None else self._value(node.value, scope)], False
            if isinstance(node, ast.Raise):
                return results, False
            if isinstance(node, ast.If):
                more, goes_on = self._if(node, scope)
                results += more
                if not goes_on:
                    return results, False
            elif isinstance(node, ast.For | ast.While | ast.Try | ast.With):
                results += self._forget(node, scope)
            else:
                self._statement(node, scope)
        return results, True

    def _if(self, node: ast.If, scope: Scope) -> tuple[list[Any], bool]:
        test = truth_value(self._value(node.test, scope))
        if test is not UNKNOWN:
            return self._block(node.body if test else node.orelse, scope)
        one, other = scope.fork(), scope.fork()
        (first, first_on), (second, second_on) = self._block(node.body, one), self._block(node.orelse, other)
        scope.merge_branches(one, other)
        return first + second, first_on or second_on

    def _forget(self, block: ast.stmt, scope: Scope) -> list[Any]:
        """Set all variables that a block might assign to unknown; return its possible return values."""
        results = []
        for node in ast.walk(block):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                scope.names[node.id] = UNKNOWN
            elif isinstance(node, ast.Attribute):
                if isinstance(node.ctx, ast.Store) or node.attr in scope.attributes:
                    scope.attributes[node.attr] = UNKNOWN
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if isinstance(node.func.value, ast.Name):  # results.append(...)
                    scope.names[node.func.value.id] = self._value_after_call(node.func.value, scope)
            elif isinstance(node, ast.Return):
                results.append(self._value(node.value, scope) if node.value else None)
        return results

    def _value_after_call(self, node: ast.Name, scope: Scope) -> Any:
        """Value of a name after a call of one of its methods, which may have mutated it."""
        value = self._name(node, scope)
        return UNKNOWN if isinstance(value, list | dict | set) else value

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            value = self._value(node.value, scope)
            for target in node.targets:
                self._assign(target, value, scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, self._value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign):
            before = self._value(node.target, scope)
            added = apply_function(
                BINARY.get(type(node.op), lambda a, b: UNKNOWN), before, self._value(node.value, scope)
            )
            self._assign(node.target, added, scope)
        elif isinstance(node, ast.Expr):
            self._value(node.value, scope)

    def _assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            if self._value(target.value, scope) is OWN_PLAYER:
                scope.attributes[target.attr] = value
        elif isinstance(target, ast.Tuple):
            known = isinstance(value, tuple | list) and len(value) == len(target.elts)
            for i, part in enumerate(target.elts):
                self._assign(part, value[i] if known else UNKNOWN, scope)
        elif isinstance(target, ast.Subscript):
            self._assign(target.value, UNKNOWN, scope)


class Facts(NamedTuple):
    """Facts about one program.

    Attributes:
        lines: Lines that are neither blank nor a comment; docstrings count.
        classes: Number of classes.
        branches: ``if`` statements and conditional expressions.
        loops: Loops and comprehensions.
        draws: Uses of the player's random numbers.
        cooperates: Statements ``return C``.
        defects: Statements ``return D``.
        reads_length: 1 if it reads the length of the match or has fixed first or last moves by a wrapper, else 0.
        first: First move by static analysis: 1 cooperate, 0 defect, 0.5 unknown.
        sure_cooperations: Rounds of ten with certain cooperation against a cooperator, given cooperation so far.
        sure_defections: Rounds of ten with certain defection, given cooperation so far.
    """

    lines: int
    classes: int
    branches: int
    loops: int
    draws: int
    cooperates: int
    defects: int
    reads_length: int
    first: float
    sure_cooperations: int
    sure_defections: int


LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def facts(plain: str) -> Facts:
    """Compute the facts of the plain text of an item."""
    nodes = list(ast.walk(parse_module(plain)))
    play = moves(plain)
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return Facts(
        lines=count_lines(plain),
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
        branches=sum(isinstance(node, ast.If | ast.IfExp) for node in nodes),
        loops=sum(isinstance(node, LOOPS) for node in nodes),
        draws=sum(isinstance(node, ast.Attribute) and node.attr == "_random" for node in nodes),
        cooperates=_count_returns(nodes, "C"),
        defects=_count_returns(nodes, "D"),
        reads_length=int(bool(names & {"match_attributes", "FinalTransformer", "InitialTransformer"})),
        first={"C": 1.0, "D": 0.0}.get(play[0], 0.5),
        sure_cooperations=play.count("C"),
        sure_defections=play.count("D"),
    )


def count_lines(text: str) -> int:
    """Number of lines that are neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def _count_returns(nodes: list[ast.AST], move: str) -> int:
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return sum(isinstance(value, ast.Name) and value.id == move for value in returned)
