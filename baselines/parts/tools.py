"""Tools that a model can call before it answers, with the seat's own information only.

A call is a reply with a single JSON object ``{"tool": NAME, "arguments": {...}}``. So tools work without function
calling of the server; with constrained decoding, the schema allows calls besides the legal moves.

The calculator supports numbers and a few functions, in bounded time.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from econzoo.baselines.models import Schema
from econzoo.baselines.parts.diary import Diary
from econzoo.envs.core.contract import short_repr
from econzoo.envs.core.faces import Prompts, find_object

MAX_EXPRESSION_LENGTH = 300
"""Maximum characters of an expression."""

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
    """Evaluate an arithmetic expression; returns its value or an error message.

    All numbers are floats, which bounds powers. Functions: abs, ceil, exp, floor, log, max, min,
    round, sqrt. ``^`` is not a power; ``**`` is.
    """
    if not isinstance(expression, str) or not expression.strip():
        return "error: give an expression, for example 0.9 * 10000"
    if len(expression) > MAX_EXPRESSION_LENGTH:
        return f"error: the expression has {len(expression)} characters; allowed: {MAX_EXPRESSION_LENGTH}"
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
        # Powers of integers could fill the memory; those of floats overflow.
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _check_real(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call_function(node.func.id, [_value(argument) for argument in node.args])
    raise ValueError("only numbers, + - * / // % ** and parentheses are allowed")


def _call_function(name: str, arguments: list[float]) -> float:
    if name not in _FUNCTIONS:
        raise ValueError(f"only these functions are allowed: {', '.join(_FUNCTIONS)}")
    if name == "round" and len(arguments) == 2:
        return round(arguments[0], int(arguments[1]))
    return float(_FUNCTIONS[name](*arguments))


def _check_real(value: Any) -> float:
    """Raise `ValueError` for a root of a negative number."""
    if isinstance(value, complex):
        raise ValueError("no real value")
    return float(value)


MAX_TOOL_CALLS = 4
"""Default maximum of calls per turn."""


@dataclass(frozen=True)
class Tool:
    """A tool for models.

    Attributes:
        name: Name, one word.
        doc: Description, one sentence.
        parameters: JSON schema of each argument; all are required.
        use: Called with the seat's diary and the arguments by name; returns text. The model sees a `ValueError`.
        is_possible: Whether the game of a diary has this tool.
    """

    name: str
    doc: str
    parameters: Mapping[str, Schema]
    use: Callable[..., str]
    is_possible: Callable[[Diary], bool] = lambda diary: True

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of a call."""
        arguments = _object(dict(self.parameters))
        return {**_object({"tool": {"const": self.name}, "arguments": arguments}), "description": self.doc}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    needed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **needed}


class Call(NamedTuple):
    """A tool call of a model, not validated."""

    tool: Any
    arguments: Any


def call_in(reply: str) -> Call | None:
    """Parse the tool call in a reply, or return None."""
    fields = find_object(reply)
    if not isinstance(fields, dict) or fields.get("tool") is None:
        return None
    arguments = fields.get("arguments")
    return Call(fields["tool"], {} if arguments is None else arguments)


def use_tool(call: Call, tools: Sequence[Tool], diary: Diary) -> str:
    """Run a tool call; returns the result or an error message as text."""
    tool = next((tool for tool in tools if tool.name == call.tool), None)
    if tool is None:
        return f"error: unknown tool {short_repr(call.tool)}; allowed: {', '.join(tool.name for tool in tools)}"
    if not isinstance(call.arguments, dict) or not call.arguments.keys() <= tool.parameters.keys():
        return f"error: {tool.name} takes the arguments {', '.join(tool.parameters) or '(none)'}"
    try:
        return tool.use(diary, **call.arguments)
    except (ValueError, TypeError) as error:
        return f"error: {error}"


def describe_tools(tools: Sequence[Tool], most: int, texts: Prompts, functions: bool = False) -> str:
    """Return the description of the tools for the model; empty without tools."""
    if not tools:
        return ""
    if functions:
        return texts["brief.functions"].format(most=most, tools=", ".join(tool.name for tool in tools))
    lines = [
        texts["brief.tool"].format(tool=tool.name, arguments=", ".join(tool.parameters), doc=tool.doc) for tool in tools
    ]
    return texts["brief.tools"].format(most=most, tools="\n".join(lines))


def allow_tool_calls(schema: Schema | None, tools: Sequence[Tool]) -> Schema | None:
    """Extend a schema by tool calls; None (free text) is unchanged."""
    if schema is None or not tools:
        return schema
    moves = schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
    return {"anyOf": [*moves, *[tool.schema for tool in tools]]}


def _calculate(diary: Diary, expression: str = "") -> str:
    return calculate(expression)


def _solve(diary: Diary) -> str:
    advice = diary.game.solution.advise(diary.require_seen().view)
    if isinstance(advice, Mapping):
        return "\n".join(f"{name}: {value}" for name, value in advice.items())
    return str(advice)


def _has_solver(diary: Diary) -> bool:
    return hasattr(diary.game.solution, "advise")


CALCULATOR = Tool(
    "calculator",
    "the value of an arithmetic expression, e.g. 0.9 ** 3 * 10000.",
    {"expression": {"type": "string", "maxLength": MAX_EXPRESSION_LENGTH}},
    _calculate,
)

SOLVER = Tool("solver", "what theory says about your position, from what you know.", {}, _solve, _has_solver)
"""The game's own solution: ``advise(view)`` of its ``solution`` module."""

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (CALCULATOR, SOLVER)}
"""Tools available in specs."""
