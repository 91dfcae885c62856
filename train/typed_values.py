"""Values from files and command lines, held to the type of the field of a dataclass that they are for."""

from __future__ import annotations

import math
import types
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from econzoo.envs.core.contract.validation import short

__all__ = ["fits", "told", "typed"]

NAMES: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Path: "text",
    type(None): "null",
    Any: "anything",
}
"""What a type is called in messages."""


def typed(name: str, value: Any, hint: Any) -> Any:
    """A value for a field.

    Args:
        name: Of the field.
        value: As JSON or YAML gives it. Text that reads as a number is one where only a number fits: YAML takes
            ``1e-4`` for text. The only entry of a list may stand for it.
        hint: The type of the field.

    Raises:
        ValueError: It does not fit; the message says what does.
    """
    if isinstance(value, str) and not fits(value, hint):
        value = _number(value)
    if not isinstance(value, list) and not fits(value, hint) and fits([value], hint):
        value = [value]
    if not fits(value, hint):
        raise ValueError(f"{name}={short(value)} is not allowed; allowed: {told(hint)}")
    return value


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def fits(value: Any, hint: Any) -> bool:
    """Whether a plain value is of a type; of the members of an enumeration that is their value."""
    hint, inner = _without_notes(hint), get_args(hint)
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        named = [one for one in inner if _is_enum(one)]  # "a scheduler, or text" means the name of a scheduler
        return any(fits(value, one) for one in inner if not (named and one is str))
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inner)
    if origin is list:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if origin is dict or hint is dict:
        return isinstance(value, dict) and (not inner or all(fits(one, inner[1]) for one in value.values()))
    if _is_enum(hint):
        return value in [one.value for one in hint]
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    return isinstance(value, str) if hint is Path else type(value) is hint


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def _without_notes(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def told(hint: Any) -> str:
    """What a type allows, in words."""
    hint, inner = _without_notes(hint), get_args(hint)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        named = any(_is_enum(one) for one in inner)
        return " or ".join(told(one) for one in inner if not (named and one is str))
    if origin is list:
        return f"a list of {told(inner[0])}"
    if origin is dict or hint is dict:
        return "names with values"
    if origin is Literal:
        return ", ".join(map(str, inner))
    if _is_enum(hint):
        return ", ".join(str(one.value) for one in hint)
    return NAMES.get(hint, getattr(hint, "__name__", str(hint)))
