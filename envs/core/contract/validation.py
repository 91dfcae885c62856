"""Values that come from outside: which are refused, and in which words."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, NamedTuple

EXACT = Context(prec=1000)
"""Holds every float digit by digit."""


class Invalid(NamedTuple):
    """An answer that is no move, as a value.

    Attributes:
        code: A stable word for counting, e.g. ``"no_json"`` (see `CODES`).
        text: One sentence that names what was wrong and what is allowed.
    """

    code: str
    text: str


CODES = (
    "empty",
    "too_long",
    "no_json",
    "bad_json",
    "many_json",
    "not_alone",
    "thinking",
    "not_an_object",
    "missing_key",
    "unknown_key",
    "unknown_kind",
    "wrong_type",
    "not_finite",
    "out_of_range",
    "does_not_sum",
    "message_not_allowed",
    "message_too_long",
    "illegal_now",
    "refused",
    "no_program",
    "many_programs",
    "syntax_error",
)
"""Every `Invalid.code`."""


UNPRINTABLE = "a number of thousands of digits"
"""Stands for an integer that Python refuses to print: by default one of over 4,300 digits."""


LOOKED_AT = 10_000
"""Characters of a text that an error message is made from."""


def short(value: Any) -> str:
    """A value as an error message shows it: its `repr` on one line, cut."""
    try:
        shown = " ".join(repr(value[:LOOKED_AT] if isinstance(value, str) else value).split())
    except ValueError:
        shown = UNPRINTABLE
    return shown if len(shown) <= 60 else shown[:57] + "..."


def of_kind(name: str, value: Any, kinds: type | tuple[type, ...], allowed: str) -> Any:
    """An argument, if it is of one of these kinds.

    Raises:
        ValueError: It is not; the message names it and says what is allowed.
    """
    if not isinstance(value, kinds):
        raise ValueError(f"{name}={short(value)} is not allowed; allowed: {allowed}")
    return value


def list_of(name: str, values: Any, kinds: type | tuple[type, ...], allowed: str) -> list[Any]:
    """An argument of several, as a list, if all of them are of one of these kinds; a text is not several.

    Raises:
        ValueError: It is not; the message names it and says what is allowed.
    """
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    found = list(values) if several else [values]
    if not several or not all(isinstance(one, kinds) for one in found):
        raise ValueError(f"{name}={short(found if several else values)} is not allowed; allowed: {allowed}")
    return found


def from_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: It is none, or it is nested more deeply than Python's parser goes.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def path_of(name: str, value: Any) -> Path:
    """An argument that is a path.

    Raises:
        ValueError: It is none.
    """
    return Path(of_kind(name, value, (str, os.PathLike), "a path"))


def type_name(value: Any) -> str:
    """The type of a value read from JSON, in words."""
    return {"str": "text", "list": "a list", "NoneType": "nothing"}.get(type(value).__name__, type(value).__name__)


def check_amount(key: str, value: Any, limits: tuple[float, float], whole: bool = False) -> Invalid | None:
    """What is wrong with an amount, or None; `whole`: only whole numbers are right."""
    if value.__class__ is not float and (isinstance(value, bool) or not _is_number(value)):
        return Invalid("wrong_type", f'"{key}" must be a number; got {short(value)}')
    low, high = limits
    if low <= value <= high:
        return (
            Invalid("wrong_type", f'"{key}" must be a whole number; got {short(value)}')
            if whole and value % 1
            else None
        )
    if isinstance(value, float) and not math.isfinite(value):
        return Invalid("not_finite", f'"{key}" must be a finite number; got {value}')
    return Invalid("out_of_range", f'"{key}" must lie from {in_full(low)} to {in_full(high)}; got {short(value)}')


def _is_number(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None) if getattr(value, "shape", None) == () else None
    return isinstance(value, int | float) or kind in ("i", "u", "f")


def check_message(key: str, value: Any, longest: int) -> Invalid | None:
    """What is wrong with words, or None.

    Args:
        key: The key that they stand under.
        value: What was given.
        longest: Characters that are allowed; 0 where no words may be sent (an empty message is none).
    """
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short(value)}')
    if value and not longest:
        return Invalid("message_not_allowed", f'messages are off in this game; leave out "{key}"')
    if len(value) > longest:
        return Invalid("message_too_long", f'"{key}" has {len(value)} characters; allowed: {longest}')
    return None


def check_source(key: str, value: Any, longest: int) -> Invalid | None:
    """What is wrong with a text that is a move by itself, before it is looked at as such, or None."""
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short(value)}')
    if not value.strip():
        return Invalid("empty", f'"{key}" is empty')
    if len(value) > longest:
        return Invalid("too_long", f'"{key}" has {len(value)} characters; allowed: {longest}')
    return None


_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
"""Control characters but for tab and newline, surrogates, and characters that change the order of others."""
REPLACEMENT = "\ufffd"


def clean(message: str) -> str:
    """A message that can be shown and stored anywhere.

    Control characters other than newline and tab, lone surrogates and characters that reorder text become
    U+FFFD, so that no message can break a terminal, a record or the reading order. Emoji and all scripts stay.
    """
    if message.isprintable():
        return message
    return _UNSAFE.sub(REPLACEMENT, message.replace("\r\n", "\n"))


def in_full(amount: float) -> str:
    """An amount with all its digits, as JSON takes it: no separators, no exponent ("10000", "0.000001", "99.995")."""
    return f"{exact(amount).normalize(EXACT):f}"


def exact(amount: float) -> Decimal:
    """The shortest decimal that is read as this float; zero has no sign."""
    return Decimal(repr(float(amount) or 0.0))
