"""Arguments of strategies of the Axelrod library: the library itself takes many that make no sense."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any, get_args

from econzoo.envs.core.contract.validation import short

PROBABILITY = re.compile(r"p|q|ep|alpha|p_.*|.*prob.*")
"""Names of arguments that are probabilities or levels of significance, where they are numbers."""

WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def checked_arguments(kind: Any, options: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a class from the options of a spec.

    Args:
        kind: Class of the library.
        options: Name to literal, or to text.

    Raises:
        ValueError: The class has no such argument, wants another one, or one is not of its kind or range.
    """
    known = parameters(kind)
    for name in options:
        if name not in known:
            raise ValueError(f"it takes no {short(name)}; allowed: {usage(known)}")
    for name, parameter in known.items():
        if parameter.default is Parameter.empty and name not in options:
            raise ValueError(f"{name} is missing; allowed: {usage(known)}")
    return {name: _argument(known[name], text) for name, text in options.items()}


def parameters(kind: Any) -> dict[str, Parameter]:
    """Parameters of a class by name; the library hides them from `inspect.signature` of the class itself."""
    return dict(list(signature(kind.__init__).parameters.items())[1:])


def usage(known: Mapping[str, Parameter]) -> str:
    """The arguments of a class as a spec has them."""
    told = [name if one.default is one.empty else f"{name}={short(one.default)}" for name, one in known.items()]
    return ", ".join(told) or "no arguments"


def _argument(parameter: Parameter, text: str) -> Any:
    """The value of an option; what is no literal is a text."""
    value, kinds = _value(text), _kinds(parameter)
    if not text:
        raise ValueError(f"{parameter.name} has no value; allowed: {parameter.name}={_allowed(parameter)}")
    if not kinds or value == parameter.default:
        return value
    fits = type(value) in kinds or (float in kinds and type(value) is int)
    if not fits or (_probable(parameter) and not 0 <= value <= 1) or (type(value) is float and math.isnan(value)):
        raise ValueError(f"{parameter.name}={short(value)} is not allowed; allowed: {_allowed(parameter)}")
    return value


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text


def _kinds(parameter: Parameter) -> set[type]:
    """The simple types that an argument may have; none: it is of another kind, or nothing is known."""
    given = parameter.annotation
    if given is Parameter.empty:
        return {type(parameter.default)} & set(WORDS)
    kinds = set(get_args(given) or (given,)) - {type(None)}
    return kinds if kinds <= set(WORDS) else set()


def _probable(parameter: Parameter) -> bool:
    return float in _kinds(parameter) and PROBABILITY.fullmatch(parameter.name) is not None


def _allowed(parameter: Parameter) -> str:
    kinds = _kinds(parameter)
    if _probable(parameter):
        return "a number from 0 to 1"
    widest = kinds - {int} if float in kinds else kinds
    return " or ".join(words for kind, words in WORDS.items() if kind in widest) or "a value"
