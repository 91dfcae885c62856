"""Arithmetic for tool-calling models: numbers and a few functions, nothing else, in bounded time."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 300
"""Characters of an expression."""

_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: Mapping[type, Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs,
    "exp": math.exp,
    "floor": math.floor,
    "ceil": math.ceil,
    "log": math.log,
    "max": max,
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression, or a sentence that says why it has none.

    All numbers are floats, so that no power can grow beyond bounds. Functions: abs, ceil, exp, floor, log, max, min,
    round, sqrt. ``^`` is not a power; ``**`` is.
    """
    if not isinstance(expression, str) or not expression.strip():
        return "error: give an expression, for example 0.9 * 10000"
    if len(expression) > LONGEST:
        return f"error: the expression has {len(expression)} characters; allowed: {LONGEST}"
    try:
        value = float(_value(ast.parse(expression.strip(), mode="eval").body))
    except ZeroDivisionError:
        return "error: division by zero"
    except OverflowError:
        return "error: the result is too large"
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        known = isinstance(error, ValueError) and str(error).startswith("only ")
        return f"error: {error}" if known else "error: this is no arithmetic expression with a value"
    return f"{value:.10g}" if math.isfinite(value) else "error: the result is too large"


def _value(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _real(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _called(node.func.id, [_value(argument) for argument in node.args])
    raise ValueError("only numbers, + - * / // % ** and parentheses are allowed")


def _called(name: str, arguments: list[float]) -> float:
    if name not in _FUNCTIONS:
        raise ValueError(f"only these functions are allowed: {', '.join(_FUNCTIONS)}")
    if name == "round" and len(arguments) == 2:
        return round(arguments[0], int(arguments[1]))
    return float(_FUNCTIONS[name](*arguments))


def _real(value: Any) -> float:
    """Raises `ValueError` for a root of a negative number."""
    if isinstance(value, complex):
        raise ValueError("no real value")
    return float(value)
