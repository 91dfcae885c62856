"""Reads what a program does against a cooperator without running it: abstract interpretation of its syntax tree.

Values are those that can be told from the tree; everything else is `UNKNOWN`. Where it is unknown which branch is taken
both are followed, and what they leave different becomes unknown (Cousot and Cousot 1977, with constants as the domain).
Loops are not followed: what they assign becomes unknown. So a move that comes out is certain, up to what the library
does behind the names that are known here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Any = _Unknown()
DEEPEST = 12
"""Calls inside of calls that are followed."""

LONGEST = 10_000
"""Length that a list made by an expression may have."""

BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
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
METHODS = ("count", "index", "copy", "get")
SIMPLE = (bool, int, float, str, tuple, list, dict, set, type(None))


class Scope:
    """What is known while a function is read.

    Attributes:
        names: Its variables.
        attributes: Those of the player; shared by all functions of a move.
        owner: Place of the method's class among the parents of the strategy.
        depth: Calls that it is inside of.
    """

    def __init__(self, names: dict[str, Any], attributes: dict[str, Any], owner: int = 0, depth: int = 0) -> None:
        self.names, self.attributes, self.owner, self.depth = names, attributes, owner, depth

    def forked(self) -> Scope:
        """A copy that can be changed on its own."""
        return Scope(_copied(self.names), _copied(self.attributes), self.owner, self.depth)

    def take(self, one: Scope, other: Scope) -> None:
        """What two copies agree on; the rest is unknown."""
        self.names = _agreed(one.names, other.names)
        merged = _agreed(one.attributes, other.attributes)
        self.attributes.clear()
        self.attributes.update(merged)


def _copied(values: dict[str, Any]) -> dict[str, Any]:
    return {name: copy(value) if isinstance(value, list | dict) else value for name, value in values.items()}


def _agreed(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        key: one[key] if key in one and key in other and same(one[key], other[key]) else UNKNOWN for key in one | other
    }


def same(one: Any, other: Any) -> bool:
    """Whether two values are known and equal."""
    if one is other:
        return True
    return isinstance(one, SIMPLE) and isinstance(other, SIMPLE) and type(one) is type(other) and bool(one == other)


def truth(value: Any) -> Any:
    """True, False or UNKNOWN."""
    return bool(value) if isinstance(value, SIMPLE) else UNKNOWN


def applied(function: Callable[..., Any], *values: Any) -> Any:
    """The result of a function of Python where all values are known and it has one."""
    if not all(isinstance(value, SIMPLE) and not _has_unknown(value) for value in values):
        return UNKNOWN
    try:
        result = function(*values)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError, KeyError):
        return UNKNOWN
    return UNKNOWN if isinstance(result, list | tuple | str) and len(result) > LONGEST else result


def _has_unknown(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_unknown(part) for item in value.items() for part in item)
    return value is UNKNOWN or (isinstance(value, list | tuple | set) and any(map(_has_unknown, value)))
