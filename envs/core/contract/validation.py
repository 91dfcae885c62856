"""Validation of external values, and error messages."""

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
"""Decimal context that represents every float exactly."""


class Invalid(NamedTuple):
    """An invalid answer."""

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
"""All values of `Invalid.code`."""


UNPRINTABLE = "a number of thousands of digits"
"""Text for an integer that Python refuses to print (by default over 4,300 digits)."""


MAX_REPR_INPUT = 10_000
"""Characters of a text that error messages consider."""


def short_repr(value: Any) -> str:
    """Format a value for error messages: its `repr` on one line, truncated."""
    try:
        shown = " ".join(repr(value[:MAX_REPR_INPUT] if isinstance(value, str) else value).split())
    except ValueError:
        shown = UNPRINTABLE
    return shown if len(shown) <= 60 else shown[:57] + "..."


MIN_SIMILARITY = 0.75
"""`difflib` ratio from which a name counts as a misspelling of another."""

MAX_LISTED_NAMES = 12
"""Longest list of valid names shown beside a suggestion."""


def nearest_names(name: Any, allowed: Iterable[str], n: int = 1) -> list[str]:
    """Return up to `n` valid names similar to or containing `name`, ignoring case and punctuation."""
    if not isinstance(name, str):
        return []
    # Reversed twice: of names that fold to the same text the first wins, and suggestions keep the order of `allowed`.
    wanted, folded = fold(name[:MAX_NAME_LENGTH]), {fold(one): one for one in reversed([*allowed])}
    near = (
        get_close_matches(wanted, folded, n, MIN_SIMILARITY) or [one for one in reversed(folded) if wanted in one][:n]
    )
    # One or two letters are part of nearly every name.
    return [folded[one] for one in near] if len(wanted) > 2 else []


def fold(name: str) -> str:
    """Normalize a name: lower case, alphanumeric characters only."""
    return "".join(filter(str.isalnum, name.casefold())) or name


def unknown_name(what: str, name: Any, allowed: Iterable[str], where: str = "", hint: str = "") -> str:
    """Error message for an unknown name, with the nearest valid name, and all if they are few."""
    names = list(allowed)
    near = nearest_names(name, names)
    parts = [f"did you mean {near[0]!r}?"] if near else [f"{hint};"] if hint else []
    if not parts or len(names) <= MAX_LISTED_NAMES:
        parts.append(f"allowed: {', '.join(names) or 'none'}")
    return f"unknown {what} {short_repr(name)}{where}; {' '.join(parts).removesuffix(';')}"


def invalid_value(name: str, value: Any, expected: str) -> str:
    """Error message for an invalid value: ``"bargaining: invalid horizon=0: expected an integer >= 1"``."""
    owner, colon, key = name.rpartition(": ")
    return f"{owner}{colon}invalid {key}={short_repr(value)}: expected {expected}"


def check_type(name: str, value: Any, types: type | tuple[type, ...], expected: str) -> Any:
    """Return an argument if it has one of these types, else raise `ValueError`."""
    if not isinstance(value, types):
        raise ValueError(invalid_value(name, value, expected))
    return value


def check_list(name: str, values: Any, types: type | tuple[type, ...], expected: str) -> list[Any]:
    """Return an iterable (not text) as a list if all items have one of these types, else raise `ValueError`."""
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    items = list(values) if several else [values]
    if not several or not all(isinstance(one, types) for one in items):
        raise ValueError(invalid_value(name, items if several else values, expected))
    return items


MAX_NESTING = 200
"""Maximum nesting of values in files: more than ours need, less than Python's own limits."""

MAX_BRACKETS = 2**20
"""Maximum opening brackets, and commas, in a JSON text: each can take hundreds of bytes of memory."""


def parse_json(text: str | bytes, finite: bool = False) -> Any:
    """Parse untrusted JSON; raise `ValueError` if it is invalid or beyond `MAX_NESTING` or `MAX_BRACKETS`.

    Args:
        finite: Whether to reject NaN and infinities, which are not JSON.
    """
    read = partial(json.loads, text, **_ONLY_FINITE if finite else {})
    # Counted before parsing, which would take the memory already.
    signs: Any = ("[", "{", ",") if isinstance(text, str) else (b"[", b"{", b",")
    lists, objects, commas = map(text.count, signs)
    opened = lists + objects
    if max(opened, commas) > MAX_BRACKETS:
        raise ValueError(f"{opened:,} brackets and {commas:,} commas exceed the limit of {MAX_BRACKETS:,} each")
    # So few brackets cannot be nested deeper: the usual text needs no walk.
    return read() if opened <= MAX_NESTING else _check_nesting(read)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse untrusted TOML; raise `ValueError` if it is invalid or nested more than `MAX_NESTING` deep."""
    if text.count(".") > MAX_NESTING and any(map(_has_long_key, text.splitlines())):
        raise ValueError(f"nested too deeply: expected at most {MAX_NESTING} levels")
    tables: dict[str, Any] = _check_nesting(partial(tomllib.loads, text))
    return tables


def _has_long_key(line: str) -> bool:
    """Whether a TOML line may have a dotted key with so many parts that parsing it takes forever."""
    parts = line.split("=") if line.lstrip().startswith("[") else line.split("=")[:-1]
    return any(part.count(".") > MAX_NESTING for part in parts)


def load_package_toml(package: str, file: str) -> dict[str, Any]:
    data = get_data(package, file)
    if data is None:
        raise FileNotFoundError(f"{package} has no file {file}")
    return parse_toml(data.decode())


def _check_nesting(read: Callable[[], Any]) -> Any:
    # The parser itself can exceed the limit of recursion; the walk over levels cannot.
    with suppress(RecursionError):
        value = read()
        level = [value] if isinstance(value, dict | list) else []
        for _ in range(MAX_NESTING):
            inner = [one.values() if one.__class__ is dict else one for one in level]
            # The classes of what the parsers make; `isinstance` takes several times as long.
            level = [item for items in inner for item in items if item.__class__ is dict or item.__class__ is list]
            if not level:
                return value
    raise ValueError(f"nested too deeply: expected at most {MAX_NESTING} levels")


def _parse_finite(word: str) -> float:
    if not math.isfinite(float(word)):
        raise ValueError(f"{word} is not a JSON number")
    return float(word)


# Ordinary numbers too: 1e999 would parse to infinity.
_ONLY_FINITE: dict[str, Any] = {"parse_constant": _parse_finite, "parse_float": _parse_finite}

MAX_NAME_LENGTH = 200
_OUTSIDE_OF_NAMES = re.compile(r'[/\\:*?"<>|]|^\.|^~|[. ]$')
"""Names that escape a folder, hide a file, or are invalid on some operating system."""


def check_file_name(what: str, name: Any) -> str:
    """Return an untrusted name if it is a safe file or folder name on all systems, else raise `ValueError`."""
    fits = isinstance(name, str) and name.isprintable() and 0 < len(name.encode(errors="replace")) <= MAX_NAME_LENGTH
    if not fits or _OUTSIDE_OF_NAMES.search(name):
        expected = (
            f'1 to {MAX_NAME_LENGTH} printable characters without / \\ : * ? " < > |, no dot or ~ first, no dot last'
        )
        raise ValueError(f"{what} {short_repr(name)} cannot be a file name: expected {expected}")
    return str(name)


def check_path(name: str, value: Any) -> Path:
    """Return an argument as a path, else raise `ValueError`."""
    return Path(check_type(name, value, (str, os.PathLike), "a path"))


def type_name(value: Any) -> str:
    """Name of the type of a JSON value, for error messages."""
    return {"str": "text", "list": "a list", "NoneType": "nothing"}.get(type(value).__name__, type(value).__name__)


def check_amount(key: str, value: Any, limits: tuple[float, float], must_be_integer: bool = False) -> Invalid | None:
    """Return what is wrong with an amount, or None."""
    # A float, the usual case, skips the slower checks.
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
    """Return what is wrong with a message, or None.

    Args:
        max_length: Maximum characters; 0 if messages are off (an empty message counts as none).
    """
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
    if value and not max_length:
        return Invalid("message_not_allowed", f'messages are off in this game; leave out "{key}"')
    if len(value) > max_length:
        return Invalid("message_too_long", f'"{key}" has {len(value)} characters; allowed: {max_length}')
    return None


def check_source(key: str, value: Any, max_length: int) -> Invalid | None:
    """Return what is wrong with the text of a `Source` move (type, emptiness, length), or None."""
    if not isinstance(value, str):
        return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
    if not value.strip():
        return Invalid("empty", f'"{key}" is empty')
    if len(value) > max_length:
        return Invalid("too_long", f'"{key}" has {len(value)} characters; allowed: {max_length}')
    return None


_INVISIBLE = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff"  # control characters except tab and newline; surrogates
    "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f"  # bidirectional controls and line separators
    "\\xad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"  # zero-width characters
)
_JOINERS, _SELECTORS = "\\u200c\\u200d", "\\ufe00-\\ufe0f"
_UNSAFE = re.compile(
    f"[{_INVISIBLE}]"
    f"|(?<![^\\x00-\\x7f{_JOINERS}])[{_JOINERS}]"
    f"|(?<![^\\x00-\\x7f{_JOINERS}{_SELECTORS}])[{_SELECTORS}](?!\\u20e3)"
)
"""Invisible characters. A single joiner or selector is kept after a non-ASCII character, as in scripts and emoji."""
REPLACEMENT = "\ufffd"


def clean(message: str) -> str:
    """Return a message that is safe to display and store.

    Control characters other than newline and tab, lone surrogates, bidirectional controls and zero-width characters
    become U+FFFD, so that no message can break a terminal, a record or the reading order, or hide text from people.
    Emoji and all scripts are kept.
    """
    if message.isascii() and message.replace("\n", "").replace("\t", "").isprintable():
        return message
    return _UNSAFE.sub(REPLACEMENT, message.replace("\r\n", "\n"))


def format_exact(amount: float) -> str:
    """Format an amount exactly, without separators or exponent ("10000", "0.000001", "99.995")."""
    return f"{exact_decimal(amount).normalize(EXACT):f}"


def exact_decimal(amount: float) -> Decimal:
    """Return the shortest decimal that parses to this float; zero is unsigned."""
    return Decimal(repr(float(amount) or 0.0))


_PLAIN = frozenset((str, int, float, bool, type(None)))


def to_plain(value: Any) -> Any:
    """Convert a value to what JSON returns: tuples to lists, numpy scalars to numbers."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
