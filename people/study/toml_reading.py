"""Validated reading of TOML files: errors name the line, the value and what is expected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from econzoo.envs.core import SMALL_FILE_BYTES, format_count, read_bytes
from econzoo.envs.core.contract import CustomDomain, Domain, declared_options, exact_decimal, parse_toml, short_repr

T = TypeVar("T")

MAX_MONEY = 1_000_000
"""Maximum fee, floor or cap."""

MAX_LINE_LENGTH, MAX_TEXT_LENGTH = 500, 20_000
"""Maximum characters of a line, and of a text of the study."""

_HUGE = re.compile(r"\d[\d_]{4299}")
"""A number too long for Python's parser."""

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


# Domains of values in study files


def make_domain(is_right: Callable[[Any], bool], allowed: str) -> Domain[Any]:
    """Return the domain of the values that pass a check."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise ValueError
        return value

    return CustomDomain(check, allowed)


def text_domain(empty: bool = False) -> Domain[str]:
    """Return the domain of texts, by default non-empty."""
    allowed = f"a {'' if empty else 'non-empty '}text of at most {MAX_TEXT_LENGTH:,} characters"
    return make_domain(
        lambda it: isinstance(it, str) and len(it) <= MAX_TEXT_LENGTH and (empty or bool(it.strip())), allowed
    )


def line_domain(longest: int = MAX_LINE_LENGTH) -> Domain[str]:
    """Return the domain of printable single-line texts without surrounding spaces."""

    def right(it: Any) -> bool:
        return isinstance(it, str) and 0 < len(it) <= longest and it.isprintable() and it == it.strip()

    return make_domain(right, f"a line of 1 to {longest} printable characters")


def pattern_domain(pattern: str, allowed: str) -> Domain[str]:
    """Return the domain of texts that match a regular expression."""
    return make_domain(lambda it: isinstance(it, str) and bool(re.fullmatch(pattern, it)), allowed)


def text_list_domain(least: int, most: int | None = None) -> Domain[tuple[str, ...]]:
    """Return the domain of lists of non-empty texts, as tuples; `most` None: no maximum."""

    def check(it: Any) -> tuple[str, ...]:
        if not (isinstance(it, list) and len(it) >= least and all(isinstance(x, str) and x.strip() for x in it)):
            raise ValueError
        if most is not None and len(it) > most:
            raise ValueError
        return tuple(it)

    count = format_count(least, "text") if most == least else f"at least {format_count(least, 'text')}"
    return CustomDomain(check, f"a list of {count}, none empty")


def _parse_money(it: Any) -> float:
    if type(it) not in (int, float) or not 0 <= it <= MAX_MONEY or exact_decimal(it) * 100 % 1:
        raise ValueError
    return float(it)


MONEY = CustomDomain(_parse_money, f"an amount from 0 to {MAX_MONEY:,} with at most two decimals")


class TomlTable:
    """A table of a file, read key by key; `check_unread_keys` then raises for unknown keys.

    Args:
        place: Key path of the table.
    """

    def __init__(self, path: Path, text: str, values: Mapping[str, Any], place: KeyPath = ()) -> None:
        self.path, self.text, self.values, self.place = path, text, values, place
        self._read_keys: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def raise_error(self, key: str, message: str) -> NoReturn:
        """Raise an error about a key, or about the table if the key is empty."""
        place = (*self.place, key) if key else self.place
        raise ValueError(f"{self.path}, line {find_line(key_lines(self.text), place)}: {message}")

    def key_path(self, key: str) -> str:
        """Return the path of a key: ``payment.fee``, ``arms[1].name``."""
        parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in (*self.place, key)]
        return "".join(parts).lstrip(".")

    def refuse(self, key: str, allowed: str) -> NoReturn:
        """Raise the error that the value of a key is invalid."""
        self.raise_error(key, f"invalid {self.key_path(key)} = {short_repr(self.values[key])}: expected {allowed}")

    def value(self, key: str, domain: Domain[T], default: Any = Parameter.empty) -> T:
        """Return a value in plain form, or the default."""
        self._read_keys.append(key)
        if key in self.values:
            try:
                return domain(self.values[key])
            except (TypeError, ValueError, OverflowError):
                self.refuse(key, domain.value_range)
        if default is Parameter.empty:
            self.raise_error("", f"{self.key_path(key)} is missing: expected {domain.value_range}")
        return default  # type: ignore[no-any-return]

    def read(self, kind: Callable[..., T]) -> T:
        """Return an object whose options are exactly the keys of this table."""
        declared = declared_options(kind)
        options = {one.name: self.value(one.name, one.option.domain or text_domain(), one.default) for one in declared}
        self.check_unread_keys()
        return kind(**options)

    def table(self, key: str, required: bool = False) -> TomlTable:
        """Return a subtable; if missing and not required, an empty one."""
        domain = make_domain(lambda it: isinstance(it, dict), f"a table [{self.key_path(key)}]")
        return self._subtable(self.value(key, domain, Parameter.empty if required else {}), key)

    def tables(self, key: str, least: int = 0) -> list[TomlTable]:
        """Return an array of subtables."""

        def right(it: Any) -> bool:
            return isinstance(it, list) and len(it) >= least and all(isinstance(one, dict) for one in it)

        domain = make_domain(right, f"tables [[{self.key_path(key)}]]{', at least one' if least else ''}")
        found = self.value(key, domain, Parameter.empty if least else [])
        return [self._subtable(one, key, place) for place, one in enumerate(found)]

    def _subtable(self, values: Mapping[str, Any], *below: str | int) -> TomlTable:
        return TomlTable(self.path, self.text, values, (*self.place, *below))

    def read_attached_file(self, key: str, name: str, most: int = SMALL_FILE_BYTES) -> bytes:
        """Return the bytes, at most `most`, of a file beside this one that a key names."""
        found = self.path.parent / name
        if found.name != name:
            self.refuse(key, "the name of a file beside this one")
        if not found.is_file():
            self.refuse(key, f"the name of a file beside this one; {found} does not exist")
        try:
            return read_bytes(found, most)
        except (OSError, ValueError) as error:
            self.refuse(key, f"a readable file: {error}")

    def check_unread_keys(self, extra_keys: Iterable[str] = ()) -> None:
        """Raise for keys that were not read."""
        known = [*dict.fromkeys([*self._read_keys, *extra_keys])]
        for key in self.values:
            if key not in known:
                self.raise_error(key, f"unknown key {self.key_path(key)}: expected {', '.join(known)}")


def parse_toml_table(path: Path, text: str) -> TomlTable:
    """Parse a TOML text; the ValueError of an invalid one has its line."""
    try:
        return TomlTable(path, text, parse_toml(text))
    except ValueError as error:
        message = str(error)
        # Python's message names a limit of conversions rather than a line.
        if huge := _HUGE.search(text):
            line, message = text.count("\n", 0, huge.start()) + 1, "a number has too many digits"
        else:
            found = _AT.search(message)
            line = int((found[1] if found else None) or text.rstrip("\n").count("\n") + 1)
        raise ValueError(f"{path}, line {line}: invalid TOML: {_AT.sub('', message)}") from None


# Line numbers of keys, which `tomllib` does not report

KeyPath = tuple[str | int, ...]
"""Path of a value: ``("payment", "fee")``, ``("arms", 0, "name")``."""

_LONG = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_HEAD = re.compile(r"\s*(\[\[?)\s*([\w.\s\"'-]+?)\s*\]\]?")
_KEY = re.compile(r"\s*([\w.\s\"'-]+?)\s*=")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key of a TOML text, except keys in inline tables and arrays."""
    return dict(_locate_keys(text))


def find_line(lines: dict[KeyPath, int], place: KeyPath) -> int:
    """Return the line of a key, or of the table in which it is missing."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _locate_keys(text: str) -> Iterator[tuple[KeyPath, int]]:
    table: KeyPath = ()
    seen: Counter[str] = Counter()
    depth = 0
    for number, line in enumerate(_LONG.sub(_blank_out, text).split("\n"), start=1):
        head, key = _HEAD.match(line), _KEY.match(line)
        if depth == 0 and head:
            table = _table_path(head[1], head[2], seen)
            yield table, number
        elif depth == 0 and key:
            yield table + _split_key(key[1]), number
        depth += 0 if depth == 0 and head else sum(map(line.count, "[{")) - sum(map(line.count, "]}"))


def _table_path(bracket: str, name: str, seen: Counter[str]) -> KeyPath:
    if bracket == "[":
        return _split_key(name)
    seen[name] += 1
    return (*_split_key(name), seen[name] - 1)


def _split_key(name: str) -> KeyPath:
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _blank_out(found: re.Match[str]) -> str:
    """Return a string or comment without its content, keeping line breaks."""
    quote = found[0][0]
    return found[0] if _is_key(found) else ("" if quote == "#" else quote * 2) + "\n" * found[0].count("\n")


def _is_key(found: re.Match[str]) -> bool:
    """Whether a quoted string is the name of a key or table."""
    after = found.string[found.end() : found.end() + 2].strip(" ]")
    return found[0][0] != "#" and "\n" not in found[0] and after.startswith("=")
