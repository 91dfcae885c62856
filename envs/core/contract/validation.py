"""Values that come from outside: which are refused, and in which words."""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Context, Decimal
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from pkgutil import get_data
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
    "placeholder",
    "many_json",
    "not_alone",
    "thinking",
    "cut",
    "filtered",
    "refusal",
    "in_reasoning",
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
    "unclear",
    "no_program",
    "many_programs",
    "syntax_error",
)
"""Every `Invalid.code`."""


UNPRINTABLE = "a number of thousands of digits"
"""Stands for an integer that Python refuses to print: by default one of over 4,300 digits."""


MAX_REPR_INPUT = 10_000
"""Characters of a text that an error message is made from."""


def short_repr(value: Any) -> str:
    """A value as an error message shows it: its `repr` on one line, cut."""
    try:
        shown = " ".join(repr(value[:MAX_REPR_INPUT] if isinstance(value, str) else value).split())
    except ValueError:
        shown = UNPRINTABLE
    return shown if len(shown) <= 60 else shown[:57] + "..."


MIN_SIMILARITY = 0.75
"""From this ratio of `difflib` on, a name is taken for a misspelled other one."""

MAX_LISTED_NAMES = 12
"""Allowed names that are listed beside one that is near."""


def nearest_names(name: Any, allowed: Iterable[str], n: int = 1) -> list[str]:
    """Up to `n` of the allowed names that are like one or contain it; case, hyphens and the like make no difference."""
    if not isinstance(name, str):
        return []
    wanted, folded = fold(name[:MAX_NAME_LENGTH]), {fold(one): one for one in reversed([*allowed])}
    near = (
        get_close_matches(wanted, folded, n, MIN_SIMILARITY) or [one for one in reversed(folded) if wanted in one][:n]
    )
    return [folded[one] for one in near] if len(wanted) > 2 else []


def fold(name: str) -> str:
    """A name in lower case, without hyphens, spaces and the like."""
    return "".join(filter(str.isalnum, name.casefold())) or name


def unknown_name(what: str, name: Any, allowed: Iterable[str], where: str = "", hint: str = "") -> str:
    """What is said of a name that is none of those allowed: the nearest of them, and all where they are few.

    Args:
        what: A name of what: ``"game"``.
        name: The name.
        allowed: Those that exist.
        where: It was looked for: ``" in bargaining"``.
        hint: What it is instead, if that is known; then a long list is left out too.
    """
    names = list(allowed)
    near = nearest_names(name, names)
    told = [f"did you mean {near[0]!r}?"] if near else [f"{hint};"] if hint else []
    if not told or len(names) <= MAX_LISTED_NAMES:
        told.append(f"allowed: {', '.join(names) or 'none'}")
    return f"unknown {what} {short_repr(name)}{where}; {' '.join(told).removesuffix(';')}"


def check_type(name: str, value: Any, types: type | tuple[type, ...], allowed: str) -> Any:
    """An argument, if it is of one of these kinds.

    Raises:
        ValueError: It is not; the message names it and says what is allowed.
    """
    if not isinstance(value, types):
        raise ValueError(f"{name}={short_repr(value)} is not allowed; allowed: {allowed}")
    return value


def check_list(name: str, values: Any, types: type | tuple[type, ...], allowed: str) -> list[Any]:
    """An argument of several, as a list, if all of them are of one of these kinds; a text is not several.

    Raises:
        ValueError: It is not; the message names it and says what is allowed.
    """
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    found = list(values) if several else [values]
    if not several or not all(isinstance(one, types) for one in found):
        raise ValueError(f"{name}={short_repr(found if several else values)} is not allowed; allowed: {allowed}")
    return found


MAX_NESTING = 200
"""How deep a value in a file may be nested: deeper than any of ours, and less than Python's own limits."""

MAX_BRACKETS = 2**20
"""Opening brackets, and commas, in a JSON text: each can stand for hundreds of bytes."""


def parse_json(text: str | bytes, finite: bool = False) -> Any:
    """The value of a JSON text, whoever wrote it.

    Args:
        text: The text.
        finite: Whether NaN and infinities, which JSON does not have, are refused.

    Raises:
        ValueError: It is none, is nested more than `MAX_NESTING` deep, or has more than `MAX_BRACKETS` brackets or
            commas.
    """
    read = partial(json.loads, text, **_ONLY_FINITE if finite else {})
    signs: Any = ("[", "{", ",") if isinstance(text, str) else (b"[", b"{", b",")
    lists, objects, commas = map(text.count, signs)
    opened = lists + objects
    if max(opened, commas) > MAX_BRACKETS:
        raise ValueError(f"it has {opened:,} brackets and {commas:,} commas; allowed: {MAX_BRACKETS:,} of each")
    return read() if opened <= MAX_NESTING else _check_nesting(read)


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text, whoever wrote it.

    Raises:
        ValueError: It is none, or it is nested more than `MAX_NESTING` deep.
    """
    if text.count(".") > MAX_NESTING and any(map(_has_long_key, text.splitlines())):
        raise ValueError(f"it is nested too deeply; allowed: {MAX_NESTING} levels")
    tables: dict[str, Any] = _check_nesting(partial(tomllib.loads, text))
    return tables


def _has_long_key(line: str) -> bool:
    """Whether a line of TOML could have a key of so many parts that reading it takes for ever."""
    parts = line.split("=") if line.lstrip().startswith("[") else line.split("=")[:-1]
    return any(part.count(".") > MAX_NESTING for part in parts)


def load_package_toml(package: str, file: str) -> dict[str, Any]:
    """The tables of a TOML file that comes with a package."""
    found = get_data(package, file)
    if found is None:
        raise FileNotFoundError(f"{package} cannot be asked for {file}")
    return parse_toml(found.decode())


def _check_nesting(read: Callable[[], Any]) -> Any:
    with suppress(RecursionError):
        value = read()
        level = [value]
        for _ in range(MAX_NESTING):
            inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
            level = [item for items in inner for item in items]
        if not any(isinstance(one, dict | list) for one in level):
            return value
    raise ValueError(f"it is nested too deeply; allowed: {MAX_NESTING} levels")


def _parse_finite(word: str) -> float:
    if not math.isfinite(float(word)):
        raise ValueError(f"{word} is no number in JSON")
    return float(word)


_ONLY_FINITE: dict[str, Any] = {"parse_constant": _parse_finite, "parse_float": _parse_finite}

MAX_NAME_LENGTH = 200
_OUTSIDE_OF_NAMES = re.compile(r'[/\\:*?"<>|]|^\.|^~|[. ]$')
"""What leads out of a folder, hides a file, or cannot stand in a name on one system or another."""


def check_file_name(what: str, name: Any) -> str:
    """A name that came with data, if a file or folder can have it inside any other folder.

    Args:
        what: Whose name, for the message: ``"id"``.
        name: The name.

    Raises:
        ValueError: It could lead elsewhere, or some system cannot keep it.
    """
    fits = isinstance(name, str) and name.isprintable() and 0 < len(name.encode(errors="replace")) <= MAX_NAME_LENGTH
    if not fits or _OUTSIDE_OF_NAMES.search(name):
        allowed = (
            f'1 to {MAX_NAME_LENGTH} printable characters without / \\ : * ? " < > |, no dot or ~ first, no dot last'
        )
        raise ValueError(f"{what} {short_repr(name)} cannot be the name of a file; allowed: {allowed}")
    return str(name)


def check_path(name: str, value: Any) -> Path:
    """An argument that is a path.

    Raises:
        ValueError: It is none.
    """
    return Path(check_type(name, value, (str, os.PathLike), "a path"))


def type_name(value: Any) -> str:
    """The type of a value read from JSON, in words."""
    return {"str": "text", "list": "a list", "NoneType": "nothing"}.get(type(value).__name__, type(value).__name__)


def check_amount(key: str, value: Any, limits: tuple[float, float], must_be_integer: bool = False) -> Invalid | None:
    """What is wrong with an amount, or None; `must_be_integer`: only whole numbers are right."""
    if value.__class__ is not float and (isinstance(value, bool) or not _is_number(value)):
        return Invalid("wrong_type", f'"{key}" must be a number; got {short_repr(value)}')
    low, high = limits
    if low <= value <= high:
        return (
            Invalid("wrong_type", f'"{key}" must be a whole number; got {short_repr(value)}')
            if must_be_integer and value % 1
            else None
        )
    if isinstance(value, float) and not math.isfinite(value):
        return Invalid("not_finite", f'"{key}" must be a finite number; got {value}')
    return Invalid(
        "out_of_range", f'"{key}" must lie from {format_exact(low)} to {format_exact(high)}; got {short_repr(value)}'
    )


def _is_number(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None) if getattr(value, "shape", None) == () else None
    return isinstance(value, int | float) or kind in ("i", "u", "f")


def check_message(key: str, value: Any, max_length: int) -> Invalid | None:
    """What is wrong with words, or None.

    Args:
        key: The key that they stand under.
        value: What was given.
        max_length: Characters that are allowed; 0 where no words may be sent (an empty message is none).
    """
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
    if value and not max_length:
        return Invalid("message_not_allowed", f'messages are off in this game; leave out "{key}"')
    if len(value) > max_length:
        return Invalid("message_too_long", f'"{key}" has {len(value)} characters; allowed: {max_length}')
    return None


def check_source(key: str, value: Any, max_length: int) -> Invalid | None:
    """What is wrong with a text that is a move by itself, before it is looked at as such, or None."""
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
    if not value.strip():
        return Invalid("empty", f'"{key}" is empty')
    if len(value) > max_length:
        return Invalid("too_long", f'"{key}" has {len(value)} characters; allowed: {max_length}')
    return None


_INVISIBLE = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff"  # control characters but for tab and newline; surrogates
    "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f"  # what reorders text or breaks lines
    "\\xad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"  # what has no width
)
_JOINERS, _SELECTORS = "\\u200c\\u200d", "\\ufe00-\\ufe0f"
_UNSAFE = re.compile(
    f"[{_INVISIBLE}]"
    f"|(?<![^\\x00-\\x7f{_JOINERS}])[{_JOINERS}]"
    f"|(?<![^\\x00-\\x7f{_JOINERS}{_SELECTORS}])[{_SELECTORS}](?!\\u20e3)"
)
"""What nobody sees. Joiners and selectors stay where scripts and emoji have them: one, after a sign beyond ASCII."""
REPLACEMENT = "\ufffd"


def clean(message: str) -> str:
    """A message that can be shown and stored anywhere.

    Control characters other than newline and tab, lone surrogates and characters that reorder text or have no width
    become U+FFFD, so that no message can break a terminal, a record or the reading order, or say more to a model than
    a person sees. Emoji and all scripts stay.
    """
    if message.isascii() and message.replace("\n", "").replace("\t", "").isprintable():
        return message
    return _UNSAFE.sub(REPLACEMENT, message.replace("\r\n", "\n"))


def format_exact(amount: float) -> str:
    """An amount with all its digits, as JSON takes it: no separators, no exponent ("10000", "0.000001", "99.995")."""
    return f"{exact_decimal(amount).normalize(EXACT):f}"


def exact_decimal(amount: float) -> Decimal:
    """The shortest decimal that is read as this float; zero has no sign."""
    return Decimal(repr(float(amount) or 0.0))
