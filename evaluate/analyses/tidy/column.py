"""Columns of exported tables: name, meaning, and values of one kind."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

TEXT, LONG_TEXT, CHOICE, FLAG, INTEGER, NUMBER = "text", "long text", "choice", "flag", "whole number", "number"
KINDS = (TEXT, LONG_TEXT, CHOICE, FLAG, INTEGER, NUMBER)

MAX_NAME = 32
"""Maximum characters of a name, the limit of Stata."""

MAX_EXACT = 2**53
"""Largest integer that is exact in floating point; columns with larger ones are texts."""


class Meaning(NamedTuple):
    """Meaning of a column in one game or all games: a row of the codebook.

    Attributes:
        kind: One of `KINDS`; empty: inferred from the values.
        unit: Unit of numbers.
    """

    meaning: str
    kind: str = ""
    unit: str = ""
    range: str = ""
    missing: str = "never"
    source: str = ""
    levels: tuple[str, ...] = ()


class Column(NamedTuple):
    """A column of an exported table.

    Attributes:
        name: At most 32 letters, digits and underscores, the same in every format.
        levels: Levels of a choice, in order; codes count from 1.
        values: Values of all rows: str (texts and choices), bool (flags), int or float; None if missing. Large columns
            are read from a file.
    """

    name: str
    kind: str
    meanings: tuple[Meaning, ...]
    levels: tuple[str, ...]
    values: Sequence[Any]


def column(name: str, meanings: Iterable[Meaning], values: Sequence[Any]) -> Column | None:
    """Build a column of raw values; None if it has neither a declared kind nor values."""
    seen = ValueKinds()
    seen.add(values)
    return new_column(name, meanings, seen, lambda make: make(list(values)))


def new_column(
    name: str,
    meanings: Iterable[Meaning],
    value_kinds: ValueKinds,
    values: Callable[[Callable[[list[Any]], list[Any]]], Sequence[Any]],
) -> Column | None:
    """Build a column of raw values; None if it has neither a declared kind nor values.

    Args:
        value_kinds: Possible kinds of all values.
        values: Returns the values, given a function that converts raw values.
    """
    meanings = tuple(dict.fromkeys(meanings))
    kind = value_kinds.kind({meaning.kind for meaning in meanings})
    if not kind:
        return None
    converted = values(partial(_convert, kind))
    declared = [level for meaning in meanings for level in meaning.levels]
    observed = sorted({value for value in converted if value is not None}) if kind == CHOICE else []
    levels = tuple(dict.fromkeys([*declared, *observed])) if kind == CHOICE else ()
    return Column(name, kind, meanings, levels, converted)


def _convert(kind: str, values: list[Any]) -> list[Any]:
    make, types = _CONVERTERS[kind], {*map(type, values)} - {type(None)}
    if (kind, *types) in ((FLAG, bool), (INTEGER, int)):
        return values
    if (kind, *types) == (NUMBER, float):
        return [value if value is not None and math.isfinite(value) else None for value in values]
    if types == {str}:  # each distinct text is converted once
        converted = {value: None if _is_missing(value) else make(value) for value in {*values}}
        return [converted[value] for value in values]
    return [None if _is_missing(value) else make(value) for value in values]


def plain_names(given: Iterable[str]) -> dict[str, str]:
    """Map internal names to distinct names that are valid in all statistical software."""
    names: dict[str, str] = {}
    for name in given:
        plain = re.sub(r"\W+", "_", name.lower(), flags=re.ASCII).strip("_") or "column"
        plain = plain if plain[0].isalpha() else f"v_{plain}"
        if len(plain) > MAX_NAME or plain in names.values():
            # Unlike a counter, a hash of the whole name does not depend on the other columns; it takes six characters
            # and an underscore.
            plain = f"{plain[: MAX_NAME - 7].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:6]}"
        names[name] = plain
    return names


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


class ValueKinds:
    """Possible kinds of the values of a column, updated in batches."""

    def __init__(self) -> None:
        self._has_values, self._exact = False, True
        # Kinds that all values can be converted to decide whether a declared kind fits; kinds that they already have
        # are inferred.
        self._possible_kinds, self._native_kinds = {*KINDS}, {*_NATIVE_TESTS}

    def add(self, values: Sequence[Any]) -> None:
        # Nearly all columns have values of one type, which need no test of each value.
        types = {*map(type, values)} - {type(None)}
        if types == {str}:
            self._has_values = self._has_values or any(values)
            self._limit({TEXT, LONG_TEXT, CHOICE}, {TEXT})
            return
        if types == {bool}:
            self._has_values = True
            self._limit({TEXT, LONG_TEXT, FLAG}, {FLAG})
            return
        if types in ({int}, {float}):
            self._add_numbers([value for value in values if value is not None], types == {int})
            return
        known = [value for value in values if not _is_missing(value)]
        if not known:
            return
        self._has_values = True
        self._limit(
            *(
                {kind for kind, test in tests.items() if all(map(test, known))}
                for tests in (_ACCEPT_TESTS, _NATIVE_TESTS)
            )
        )
        self._exact = self._exact and not any(abs(value) > MAX_EXACT for value in known if _is_number(value))

    def _add_numbers(self, values: list[Any], is_integer: bool) -> None:
        known = values if is_integer else [*filter(math.isfinite, values)]
        if not known:
            return
        self._has_values = True
        possible = {TEXT, LONG_TEXT, NUMBER}
        if INTEGER in self._possible_kinds and (is_integer or all(map(float.is_integer, known))):
            possible.add(INTEGER)
        if FLAG in self._possible_kinds and {*known} <= {0, 1}:
            possible.add(FLAG)
        self._limit(possible, {NUMBER, *([INTEGER] if is_integer else [])})
        self._exact = self._exact and max(known) <= MAX_EXACT and min(known) >= -MAX_EXACT

    def _limit(self, possible: set[str], native: set[str]) -> None:
        self._possible_kinds &= possible
        self._native_kinds &= native

    def kind(self, declared: set[str]) -> str:
        """Return the declared kind if the values fit it, else the inferred kind; empty if unknown."""
        kinds = declared - {""}
        agreed = {frozenset({INTEGER, NUMBER}): NUMBER, frozenset({TEXT, LONG_TEXT}): LONG_TEXT}.get(
            frozenset(kinds), ""
        )
        kind = next(iter(kinds)) if len(kinds) == 1 else agreed
        if not kind or kind not in self._possible_kinds:
            found = next((one for one in (FLAG, INTEGER, NUMBER, TEXT) if one in self._native_kinds), TEXT)
            kind = found if self._has_values else kind
        return TEXT if kind == INTEGER and not self._exact else kind


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


def _accepts_any(value: Any) -> bool:
    return True


_NATIVE_TESTS: dict[str, Callable[[Any], bool]] = {
    FLAG: lambda value: isinstance(value, bool),
    INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    NUMBER: _is_number,
    TEXT: lambda value: isinstance(value, str),
}
_ACCEPT_TESTS: dict[str, Callable[[Any], bool]] = {
    TEXT: _accepts_any,
    LONG_TEXT: _accepts_any,
    CHOICE: lambda value: isinstance(value, str),
    FLAG: lambda value: isinstance(value, bool) or value in (0, 1),
    INTEGER: _is_integer,
    NUMBER: _is_number,
}


def text(value: Any) -> str:
    """Return a value as text for any format: non-strings as JSON, invalid characters as "?"."""
    string = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return string.replace("\0", "?").encode("utf-8", "replace").decode()


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    TEXT: text,
    LONG_TEXT: text,
    CHOICE: text,
    FLAG: bool,
    INTEGER: int,
    NUMBER: float,
}
