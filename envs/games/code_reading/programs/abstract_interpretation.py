"""Static analysis of a program's play against a cooperator: abstract interpretation of its syntax tree.

The abstract domain is constants and `UNKNOWN` (Cousot and Cousot 1977). If a condition is unknown, both branches are
followed, and variables that differ afterwards become unknown. Loops are not followed: variables that they assign become
unknown. So a derived move is certain, assuming the library's behaviour behind the names that are known here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from econzoo.envs.games.code_reading.programs.axelrod_source import parse_module


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Any = _Unknown()
ROUNDS = 10
MAX_CALL_DEPTH = 12

MOST_CALLS = 200
"""Maximum number of calls followed per round: calls in both branches of unknown conditions multiply."""

MAX_LENGTH = 10_000
"""Maximum length of a computed sequence."""

BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (abs, all, any, bool, float, int, len, list, max, min, round, set, sorted, sum, tuple)
}
METHODS = ("count", "index", "copy", "get")  # without side effects
SIMPLE_TYPES = (bool, int, float, str, tuple, list, dict, set, type(None))


class Scope:
    """Abstract state within a function.

    Attributes:
        owner: Index of the method's class among the parents of the strategy.
    """

    def __init__(self, names: dict[str, Any], attributes: dict[str, Any], owner: int = 0, depth: int = 0) -> None:
        self.names, self.attributes, self.owner, self.depth = names, attributes, owner, depth

    def fork(self) -> Scope:
        """Return an independent copy."""
        return Scope(_copy_values(self.names), _copy_values(self.attributes), self.owner, self.depth)

    def merge_branches(self, one: Scope, other: Scope) -> None:
        """Merge two copies: values that differ become unknown."""
        self.names = _merge_values(one.names, other.names)
        merged = _merge_values(one.attributes, other.attributes)
        # In place: all functions of a move share the attributes of the player.
        self.attributes.clear()
        self.attributes.update(merged)


def _copy_values(values: dict[str, Any]) -> dict[str, Any]:
    return {name: copy(value) if isinstance(value, list | dict) else value for name, value in values.items()}


def _merge_values(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        key: one[key] if key in one and key in other and is_same_value(one[key], other[key]) else UNKNOWN
        for key in one | other
    }


def is_same_value(one: Any, other: Any) -> bool:
    """Whether two values are known and equal."""
    if one is other:
        return True
    return (
        isinstance(one, SIMPLE_TYPES)
        and isinstance(other, SIMPLE_TYPES)
        # Python takes 1, 1.0 and True for equal, but they do not behave alike.
        and type(one) is type(other)
        and bool(one == other)
    )


def truth_value(value: Any) -> Any:
    """Truth value: True, False or UNKNOWN."""
    return bool(value) if isinstance(value, SIMPLE_TYPES) else UNKNOWN


def apply_function(function: Callable[..., Any], *values: Any) -> Any:
    """Apply a Python function; UNKNOWN if a value is unknown or it raises."""
    if not all(isinstance(value, SIMPLE_TYPES) and not _has_unknown(value) for value in values):
        return UNKNOWN
    try:
        result = function(*values)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError, KeyError):
        return UNKNOWN
    return UNKNOWN if isinstance(result, list | tuple | str) and len(result) > MAX_LENGTH else result


def _has_unknown(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_unknown(part) for item in value.items() for part in item)
    return value is UNKNOWN or (isinstance(value, list | tuple | set) and any(map(_has_unknown, value)))


ENGINE: Any = object()
OWN_PLAYER: Any = object()
OTHER_PLAYER: Any = object()
PARENT: Any = object()
CHANCE: Any = object()
"""Symbols for the library's `Action`, the player, its opponent, ``super()`` and the player's random generator."""


def _is_number(given: list[Any]) -> bool:
    return len(given) == 1 and isinstance(given[0], int | float)


def moves(text: str, rounds: int = ROUNDS) -> str:
    """Derive the moves of a program's last strategy against a cooperator, given cooperation so far: C, D or ?."""
    return _Reader(parse_module(text), rounds).moves()


class _Reader:
    """Plays a program against a cooperator."""

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
        # What the body of a class names are attributes, hence one dictionary for both; children overwrite parents.
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
        # Methods that the engine defines and that change no attribute which is known here.
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
            value = self._value(node.target, scope)
            added = apply_function(
                BINARY.get(type(node.op), lambda a, b: UNKNOWN), value, self._value(node.value, scope)
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
            # An item of a list or table changes: the whole of it becomes unknown.
            self._assign(target.value, UNKNOWN, scope)

    # -- expressions ---------------------------------------------------------------------------------------

    def _value(self, node: ast.expr, scope: Scope) -> Any:
        # A method for each kind of expression that is followed, by the name of its class in `ast`.
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        return UNKNOWN if reader is None else reader(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return scope.names.get(node.id, self.constants.get(node.id, UNKNOWN))

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple([self._value(part, scope) for part in node.elts])

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return [self._value(part, scope) for part in node.elts]

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        test = truth_value(self._value(node.test, scope))
        one, other = self._value(node.body, scope), self._value(node.orelse, scope)
        if test is UNKNOWN:
            return one if is_same_value(one, other) else UNKNOWN
        return one if test else other

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        ends = isinstance(node.op, ast.Or)
        values = [self._value(part, scope) for part in node.values]
        for value in values:
            if truth_value(value) is ends:
                # After an unknown value the operator may have ended earlier, so only the truth of the result is
                # certain.
                return value if all(truth_value(v) is not UNKNOWN for v in values[: values.index(value)]) else ends
        return UNKNOWN if any(truth_value(value) is UNKNOWN for value in values) else values[-1]

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self._value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return UNKNOWN if truth_value(value) is UNKNOWN else not value
        return apply_function(operator.neg, value) if isinstance(node.op, ast.USub) else UNKNOWN

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        function = BINARY.get(type(node.op))
        values = self._value(node.left, scope), self._value(node.right, scope)
        return UNKNOWN if function is None else apply_function(function, *values)

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        values = [self._value(part, scope) for part in (node.left, *node.comparators)]
        results = [apply_function(COMPARISONS[type(op)], values[i], values[i + 1]) for i, op in enumerate(node.ops)]
        if any(result is False for result in results):
            return False
        return UNKNOWN if any(result is UNKNOWN for result in results) else True

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        container = self._value(node.value, scope)
        if isinstance(container, dict) and container is not UNKNOWN:
            return container.get(self._value(node.slice, scope), UNKNOWN) if self._is_key(node, scope) else UNKNOWN
        if not isinstance(container, list | tuple | str):
            return UNKNOWN
        try:
            return container[self._resolve_index(node.slice, scope)]
        except (IndexError, TypeError, ValueError):
            return UNKNOWN

    def _is_key(self, node: ast.Subscript, scope: Scope) -> bool:
        return isinstance(self._value(node.slice, scope), str | int | float | bool)

    def _resolve_index(self, node: ast.expr, scope: Scope) -> Any:
        if isinstance(node, ast.Slice):
            return slice(
                *[None if part is None else self._value(part, scope) for part in (node.lower, node.upper, node.step)]
            )
        return self._value(node, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner, name = self._value(node.value, scope), node.attr
        if owner is ENGINE:
            return name if name in ("C", "D") else UNKNOWN
        if owner in (OWN_PLAYER, OTHER_PLAYER) and not (owner is OWN_PLAYER and name in scope.attributes):
            return self._player_attribute(owner, name)
        return scope.attributes.get(name, UNKNOWN) if owner is OWN_PLAYER else UNKNOWN

    def _player_attribute(self, owner: Any, name: str) -> Any:
        if name == "match_attributes":
            return {"length": self.rounds, "noise": 0}
        if name == "_random" and owner is OWN_PLAYER:
            return CHANCE
        return {"history": ["C"] * self.round, "cooperations": self.round, "defections": 0}.get(name, UNKNOWN)

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        given = [self._value(part, scope) for part in node.args]
        named = {k.arg: self._value(k.value, scope) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Name):
            return self._call_function(node.func.id, given, named, scope)
        if not isinstance(node.func, ast.Attribute):
            return UNKNOWN
        owner, name = self._value(node.func.value, scope), node.func.attr
        if owner is CHANCE:
            # A probability of 0 or 1 is no chance.
            return {0: "D", 1: "C"}.get(given[0], UNKNOWN) if name == "random_choice" and _is_number(given) else UNKNOWN
        if owner is OWN_PLAYER or owner is PARENT:
            return self._method(name, scope.owner + 1 if owner is PARENT else 0, scope, given, named)
        if owner in ("C", "D") and name == "flip":
            return "D" if owner == "C" else "C"
        if isinstance(owner, list) and name in ("append", "pop", "extend", "insert", "clear"):
            return self._mutate_list(owner, name, given)
        known = isinstance(owner, SIMPLE_TYPES) and name in METHODS and hasattr(owner, name)
        return apply_function(getattr(owner, name), *given) if known else UNKNOWN

    def _mutate_list(self, values: list[Any], name: str, given: list[Any]) -> Any:
        """Call a method that mutates a list of the program."""
        try:
            return getattr(values, name)(*given)
        except (IndexError, TypeError):
            return UNKNOWN

    def _call_function(self, name: str, given: list[Any], named: dict[str, Any], scope: Scope) -> Any:
        if name == "super":
            return PARENT
        if name in self.functions:
            return self._enter(self.functions[name], given, named, scope, 0)
        return apply_function(FUNCTIONS[name], *given) if name in FUNCTIONS and not named else UNKNOWN
