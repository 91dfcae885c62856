"""A column of an exported table: what it is called, what it holds, and its values as one kind of thing."""

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
"""Characters of a name: Stata takes no longer ones."""

MAX_EXACT = 2**53
"""Whole numbers beyond this are no exact floating-point numbers, and so are told as texts."""


class Meaning(NamedTuple):
    """What a column is in one game, or in all of them: a row of the codebook.

    Attributes:
        meaning: In words.
        kind: One of `KINDS`; empty: as the values are.
        unit: Of numbers.
        range: The values that are allowed.
        missing: When there is no value.
        source: Where the values come from.
        levels: Of a choice, in order.
    """

    meaning: str
    kind: str = ""
    unit: str = ""
    range: str = ""
    missing: str = "never"
    source: str = ""
    levels: tuple[str, ...] = ()


class Column(NamedTuple):
    """A column.

    Attributes:
        name: Letters, digits and underscores, 32 at most: the same in every format.
        kind: One of `KINDS`.
        meanings: One, or one for each game in which it means something of its own.
        levels: Of a choice, in order: its codes count from 1.
        values: Of every row: str (texts and choices), bool (flags), int or float; None where there is none. Read again
            from a file where there are many.
    """

    name: str
    kind: str
    meanings: tuple[Meaning, ...]
    levels: tuple[str, ...]
    values: Sequence[Any]


def column(name: str, meanings: Iterable[Meaning], values: Sequence[Any]) -> Column | None:
    """A column of raw values, or None if nobody says what it holds and it holds nothing."""
    seen = ValueKinds()
    seen.add(values)
    return new_column(name, meanings, seen, lambda make: make(list(values)))


def new_column(
    name: str,
    meanings: Iterable[Meaning],
    value_kinds: ValueKinds,
    values: Callable[[Callable[[list[Any]], list[Any]]], Sequence[Any]],
) -> Column | None:
    """A column of raw values, or None if nobody says what it holds and it holds nothing.

    Args:
        name: Of the column.
        meanings: What it means in each game.
        value_kinds: What all its values are.
        values: Gives them, once they are told what is made of some raw ones.
    """
    meanings = tuple(dict.fromkeys(meanings))
    kind = value_kinds.kind({meaning.kind for meaning in meanings})
    if not kind:
        return None
    made = values(partial(_convert, kind))
    declared = [level for meaning in meanings for level in meaning.levels]
    met = sorted({value for value in made if value is not None}) if kind == CHOICE else []
    levels = tuple(dict.fromkeys([*declared, *met])) if kind == CHOICE else ()
    return Column(name, kind, meanings, levels, made)


def _convert(kind: str, values: list[Any]) -> list[Any]:
    """Raw values as values of a kind."""
    make, types = _CONVERTERS[kind], {*map(type, values)} - {type(None)}
    if (kind, *types) in ((FLAG, bool), (INTEGER, int)):
        return values
    if (kind, *types) == (NUMBER, float):
        return [value if value is not None and math.isfinite(value) else None for value in values]
    if types == {str}:  # what is alike is made once
        made = {value: None if _is_missing(value) else make(value) for value in {*values}}
        return [made[value] for value in values]
    return [None if _is_missing(value) else make(value) for value in values]


def plain_names(given: Iterable[str]) -> dict[str, str]:
    """Names as they are inside to names as every statistics program takes them, no two alike."""
    made: dict[str, str] = {}
    for name in given:
        plain = re.sub(r"\W+", "_", name.lower(), flags=re.ASCII).strip("_") or "column"
        plain = plain if plain[0].isalpha() else f"v_{plain}"
        if len(plain) > MAX_NAME or plain in made.values():
            plain = f"{plain[: MAX_NAME - 7].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:6]}"
        made[name] = plain
    return made


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


class ValueKinds:
    """What the values of a column are, some after the other."""

    def __init__(self) -> None:
        self._has_values, self._exact = False, True
        self._possible_kinds, self._native_kinds = {*KINDS}, {*_NATIVE_TESTS}

    def add(self, values: Sequence[Any]) -> None:
        """Further raw values."""
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

    def _add_numbers(self, values: list[Any], whole: bool) -> None:
        known = values if whole else [*filter(math.isfinite, values)]
        if not known:
            return
        self._has_values = True
        fits = {TEXT, LONG_TEXT, NUMBER}
        if INTEGER in self._possible_kinds and (whole or all(map(float.is_integer, known))):
            fits.add(INTEGER)
        if FLAG in self._possible_kinds and {*known} <= {0, 1}:
            fits.add(FLAG)
        self._limit(fits, {NUMBER, *([INTEGER] if whole else [])})
        self._exact = self._exact and max(known) <= MAX_EXACT and min(known) >= -MAX_EXACT

    def _limit(self, fits: set[str], are: set[str]) -> None:
        self._possible_kinds &= fits
        self._native_kinds &= are

    def kind(self, declared: set[str]) -> str:
        """The kind that all meanings agree on, if the values are of it, else what they are; empty: nobody knows."""
        told = declared - {""}
        agreed = {frozenset({INTEGER, NUMBER}): NUMBER, frozenset({TEXT, LONG_TEXT}): LONG_TEXT}.get(
            frozenset(told), ""
        )
        kind = next(iter(told)) if len(told) == 1 else agreed
        if not kind or kind not in self._possible_kinds:
            found = next((one for one in (FLAG, INTEGER, NUMBER, TEXT) if one in self._native_kinds), TEXT)
            kind = found if self._has_values else kind
        return TEXT if kind == INTEGER and not self._exact else kind


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
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
    INTEGER: _is_whole,
    NUMBER: _is_number,
}


def text(value: Any) -> str:
    """A value as a text that every format can store: JSON of what is none, "?" for halves of characters."""
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return told.replace("\0", "?").encode("utf-8", "replace").decode()


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    TEXT: text,
    LONG_TEXT: text,
    CHOICE: text,
    FLAG: bool,
    INTEGER: int,
    NUMBER: float,
}
