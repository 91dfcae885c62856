"""A TOML file read with checks: what is unknown, wrong or missing is refused with its line and what is allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from econzoo.envs.core.contract.validation import exact, from_toml, short
from econzoo.envs.core.plurals import many
from econzoo.people.study.declaration import LONGEST_LINE, LONGEST_TEXT, MOST_MONEY
from econzoo.people.study.lines import Place, line_of, lines_of

REQUIRED: Any = object()
"""Default of what must be given."""

_HUGE = re.compile(r"\d[\d_]{4299}")
"""A number that Python does not read."""

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class Part:
    """A table of a file, read key by key; at the end `done` refuses the keys that nobody has read.

    Args:
        path: The file, for messages.
        text: What is in it.
        values: The table.
        place: Where it stands in the file.
    """

    def __init__(self, path: Path, text: str, values: Mapping[str, Any], place: Place = ()) -> None:
        self.path, self.text, self.values, self.place = path, text, values, place
        self._lines = lines_of(text)
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def wrong(self, key: str, said: str) -> NoReturn:
        """Raises the error about a key, or about the table itself if the key is empty."""
        place = (*self.place, key) if key else self.place
        raise ValueError(f"{self.path}, line {line_of(self._lines, place)}: {said}")

    def named(self, key: str) -> str:
        """A key as messages call it: ``payment.fee``, ``arms[1].name``."""
        parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in (*self.place, key)]
        return "".join(parts).lstrip(".")

    def refuse(self, key: str, allowed: str) -> NoReturn:
        """Raises the error that the value of a key is not allowed."""
        self.wrong(key, f"{self.named(key)} = {short(self.values[key])} is not allowed; allowed: {allowed}")

    def value(self, key: str, default: Any, right: Callable[[Any], bool], allowed: str) -> Any:
        """A value that passes a check, or the default.

        Raises:
            ValueError: It does not, or it is missing and there is no default.
        """
        self._known.append(key)
        if key not in self.values:
            if default is REQUIRED:
                self.wrong("", f"{self.named(key)} is missing; wanted: {allowed}")
            return default
        if not right(self.values[key]):
            self.refuse(key, allowed)
        return self.values[key]

    def words(self, key: str, default: Any = REQUIRED, empty: bool = False, longest: int = LONGEST_TEXT) -> str:
        """A text, by default one that is not empty."""
        allowed = f"a text{'' if empty else ' that is not empty'}, of at most {longest:,} characters"

        def right(it: Any) -> bool:
            return isinstance(it, str) and len(it) <= longest and (empty or bool(it.strip()))

        return str(self.value(key, default, right, allowed))

    def line(self, key: str, longest: int = LONGEST_LINE) -> str:
        """A text of one line that can be read and typed: without control characters and blanks around it."""

        def right(it: Any) -> bool:
            return isinstance(it, str) and 0 < len(it) <= longest and it.isprintable() and it == it.strip()

        return str(self.value(key, REQUIRED, right, f"a line of 1 to {longest} characters that can be seen"))

    def matching(self, key: str, pattern: str, allowed: str, default: Any = REQUIRED) -> str:
        """A text that has a form."""
        return str(
            self.value(key, default, lambda it: isinstance(it, str) and bool(re.fullmatch(pattern, it)), allowed)
        )

    def whole(self, key: str, low: int, high: float = math.inf, default: Any = REQUIRED) -> int:
        """A whole number from `low` to `high`."""
        allowed = f"a whole number from {low} {'up' if high == math.inf else f'to {high:,}'}"
        return int(self.value(key, default, lambda it: type(it) is int and low <= it <= high, allowed))

    def number(self, key: str, low: float = 0.0, high: float = MOST_MONEY, default: Any = REQUIRED) -> float:
        """A number from `low` to `high`."""

        def right(it: Any) -> bool:
            return type(it) in (int, float) and low <= it <= high

        return float(self.value(key, default, right, f"a number from {low:g} to {high:,}"))

    def money(self, key: str, default: Any = REQUIRED) -> float:
        """A sum in whole hundredths."""

        def right(it: Any) -> bool:
            return type(it) in (int, float) and 0 <= it <= MOST_MONEY and not exact(it) * 100 % 1

        return float(self.value(key, default, right, f"a sum from 0 to {MOST_MONEY:,}, in whole hundredths"))

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return bool(self.value(key, default, lambda it: isinstance(it, bool), "true or false"))

    def one_of(self, key: str, known: Sequence[str], default: Any = REQUIRED) -> str:
        """One of several words."""
        return str(self.value(key, default, lambda it: it in known, ", ".join(known)))

    def several(self, key: str, least: int, default: Any = REQUIRED) -> tuple[str, ...]:
        """Several texts, none of them empty."""

        def right(it: Any) -> bool:
            return isinstance(it, list) and len(it) >= least and all(isinstance(x, str) and x.strip() for x in it)

        return tuple(self.value(key, default, right, f"a list of at least {many(least, 'text')}, none of them empty"))

    def table(self, key: str, needed: bool = False) -> Part | None:
        """A table below this one; None: it is not there."""
        default = REQUIRED if needed else None
        found = self.value(key, default, lambda it: isinstance(it, dict), f"a table [{self.named(key)}]")
        return None if found is None else self._part(found, key)

    def tables(self, key: str, least: int = 0) -> list[Part]:
        """Tables below this one, in order."""
        allowed = f"tables [[{self.named(key)}]]{', at least one' if least else ''}"

        def right(it: Any) -> bool:
            return isinstance(it, list) and len(it) >= least and all(isinstance(one, dict) for one in it)

        found = self.value(key, REQUIRED if least else [], right, allowed)
        return [self._part(one, key, place) for place, one in enumerate(found)]

    def _part(self, values: Mapping[str, Any], *below: str | int) -> Part:
        return Part(self.path, self.text, values, (*self.place, *below))

    def done(self, also: Iterable[str] = ()) -> None:
        """Refuses keys that were not asked for."""
        known = [*dict.fromkeys([*self._known, *also])]
        for key in self.values:
            if key not in known:
                self.wrong(key, f"unknown key {self.named(key)}; allowed: {', '.join(known)}")


def read_part(path: Path, text: str) -> Part:
    """The whole of a TOML text.

    Raises:
        ValueError: It is no TOML; the message says the line.
    """
    try:
        return Part(path, text, from_toml(text))
    except ValueError as error:
        said = str(error)
        if huge := _HUGE.search(text):
            line, said = text.count("\n", 0, huge.start()) + 1, "a number has too many digits"
        else:
            found = _AT.search(said)
            line = int((found[1] if found else None) or text.rstrip("\n").count("\n") + 1)
        raise ValueError(f"{path}, line {line}: {_AT.sub('', said)}; wanted: TOML") from None
