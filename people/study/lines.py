"""On which line of a TOML text each key stands, which `tomllib` does not tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

Place = tuple[str | int, ...]
"""Where a value stands: ``("payment", "fee")``, ``("arms", 0, "name")``."""

_LONG = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_HEAD = re.compile(r"\s*(\[\[?)\s*([\w.\s\"'-]+?)\s*\]\]?")
_KEY = re.compile(r"\s*([\w.\s\"'-]+?)\s*=")


def lines_of(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every table and key of a TOML text.

    Keys within inline tables and arrays are not told: they stand on the line of what they are in, or below it.
    """
    return dict(_places(text))


def line_of(lines: dict[Place, int], place: Place) -> int:
    """The line of a key; of one that is not there, that of the table in which it is missing."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _places(text: str) -> Iterator[tuple[Place, int]]:
    table: Place = ()
    seen: Counter[str] = Counter()
    depth = 0
    for number, line in enumerate(_LONG.sub(_emptied, text).split("\n"), start=1):
        head, key = _HEAD.match(line), _KEY.match(line)
        if depth == 0 and head:
            table = _table(head[1], head[2], seen)
            yield table, number
        elif depth == 0 and key:
            yield table + _parts(key[1]), number
        depth += 0 if depth == 0 and head else sum(map(line.count, "[{")) - sum(map(line.count, "]}"))


def _table(bracket: str, name: str, seen: Counter[str]) -> Place:
    if bracket == "[":
        return _parts(name)
    seen[name] += 1
    return (*_parts(name), seen[name] - 1)


def _parts(name: str) -> Place:
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _emptied(found: re.Match[str]) -> str:
    """A text or comment without what could be taken for a key or a bracket; its lines stay."""
    quote = found[0][0]
    return found[0] if _is_key(found) else ("" if quote == "#" else quote * 2) + "\n" * found[0].count("\n")


def _is_key(found: re.Match[str]) -> bool:
    """Whether a quoted text is the name of a key or of a table."""
    after = found.string[found.end() : found.end() + 2].strip(" ]")
    return found[0][0] != "#" and "\n" not in found[0] and after.startswith("=")
