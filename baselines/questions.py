"""A move put together from the answers of a person, each of them checked as it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core.amounts import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.core.contract.actions import ActionSchema, Kind, Legal, Source
from econzoo.envs.core.contract.marks import Number
from econzoo.envs.core.contract.moves import Bounds

NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""A number as people write it: 6000, 6,000.50, 6e3. A comma only separates thousands."""

UNBOUNDED = 1e12
"""A bound this far away is no help to a person."""

FROM_FILE, LAST_LINE = "@", "."
"""What stands before the name of a file, and what ends a text of several lines."""

Field = Mapping[str, Any]
"""What the JSON schema of the legal moves says about one field of a move."""


class Questions:
    """Asks for the parts of a move until each can be played.

    Args:
        actions: The game's kinds of move.
        line: Shows a prompt and returns what was typed, as it was typed.
        complain: Tells what was wrong.
    """

    def __init__(self, actions: ActionSchema, line: Callable[[str], str], complain: Callable[[str], None]) -> None:
        self.actions, self._typed, self._complain = actions, line, complain

    def _line(self, prompt: str) -> str:
        """A line without the spaces around it."""
        return self._typed(prompt).strip()

    def move(self, schema: Mapping[str, Any]) -> Any:
        """The typed action, or an `Invalid` if the parts do not go together.

        Args:
            schema: JSON schema of the legal moves.
        """
        options = fields_now(self.actions, schema)
        kind = self._kind([self.actions.kinds[self.actions.index[name]] for name in options])
        plain: dict[str, Any] = {} if len(self.actions.kinds) == 1 else {"kind": kind.name}
        for name, mark in kind.marks.items():
            field = options[kind.name].get(name)
            if isinstance(mark, Number) and field is not None:
                plain[name] = self._value(mark.doc, field)
            elif isinstance(mark, Source):
                plain[name] = self._text(kind.name, mark)
            elif field is not None and (words := self._words(field["maxLength"])):
                plain[name] = words
        legal = legal_now(self.actions, options)
        return self.actions.sized(legal.bounds).parse(plain, legal)

    def _value(self, doc: str, field: Field) -> Any:
        """A number or an option, or as many of them as a group has; not asked where only one number is possible."""
        if field["type"] == "array":
            items = items_of(field)
            told = [item["description"] for item in items]
            named = told if told[1:] != told[:-1] else [f"{doc}, {i} of {len(items)}" for i in range(1, len(items) + 1)]
            return [self._value(name, item) for name, item in zip(named, items, strict=True)]
        if "enum" in field:
            return self._option(doc, field["enum"])
        return field["minimum"] if field["minimum"] == field["maximum"] else self._amount(doc, field)

    def _option(self, doc: str, names: Sequence[str]) -> str:
        """One of several options, by its place or name."""
        menu = "   ".join(f"{place}) {name}" for place, name in enumerate(names, start=1))
        while True:
            typed = self._line(f"{doc[:1].upper()}{doc[1:]}:   {menu}   > ").casefold()
            found = [name for place, name in enumerate(names, start=1) if typed in (str(place), name.casefold())]
            if found:
                return found[0]
            self._complain(f"Please type {', '.join(names)}, or just the number.")

    def _kind(self, kinds: Sequence[Kind]) -> Kind:
        """Which kind of move; not asked if there is only one."""
        if len(kinds) == 1:
            return kinds[0]
        names = [kind.name.replace("_", " ") for kind in kinds]
        menu = "   ".join(f"{place}) {name}" for place, name in enumerate(names, start=1))
        while True:
            found = chosen(self._line(f"Your move:   {menu}   > "), kinds)
            if found is not None:
                return found
            wanted = f"{', '.join(names[:-1])} or {names[-1]}"
            self._complain(f"Please type {wanted}, or just the number or the first letter.")

    def _amount(self, doc: str, field: Field) -> float:
        """An amount within the limits, and whole where it must be."""
        low, high, whole = field["minimum"], field["maximum"], field["type"] == "integer"
        bounds = range_in_words(low, high)
        number_wanted = f"{'whole ' if whole else ''}number{' ' if bounds else ''}{bounds}"
        wanted, hint = f"a {number_wanted}", number_wanted if whole else bounds or "any number"
        while True:
            typed = self._line(f"{doc[:1].upper()}{doc[1:]} ({hint}) > ")
            amount = number(typed)
            if amount is None:
                self._complain(f"Please type {wanted}{'' if whole else ', with a point for decimals'}.")
            elif not low <= amount <= high:
                least, most = bounds_shown(low, high)
                self._complain(f"{typed[:40]} is out of range. Please type a number from {least} to {most}.")
            elif whole and amount % 1:
                self._complain(f"{typed[:40]} is not whole. Please type {wanted}.")
            else:
                return amount

    def _text(self, name: str, mark: Source) -> str:
        """A text of several lines, such as a program: typed, or from a file."""
        prompt = f"Your {name}: @FILE, or its lines and then a line with a single {LAST_LINE} > "
        while True:
            lines = [self._typed(prompt)]
            if lines[0].strip().startswith(FROM_FILE):
                text = self._from_file(lines[0].strip().removeprefix(FROM_FILE).strip())
            else:
                while lines[-1].strip() != LAST_LINE:
                    lines.append(self._typed("... "))
                text = "\n".join(lines[:-1])
            problem = mark.problem(text) if text is not None else None
            if text is not None and problem is None:
                return text
            if problem is not None:
                self._complain(f"That cannot be played: {problem.text}.")

    def _from_file(self, path: str) -> str | None:
        """What a file holds, or None."""
        try:
            return Path(path).expanduser().read_text(encoding="utf-8")
        except (OSError, ValueError, RuntimeError) as error:
            self._complain(f"{path or 'A file without a name'} cannot be read: {error}.")
            return None

    def _words(self, longest: int) -> str:
        """Words, or none."""
        while True:
            typed = self._line("Your message (Enter for none) > ")
            if len(typed) <= longest:
                return typed
            self._complain(f"That is {len(typed)} characters long; at most {longest} fit.")


def bounds_shown(low: float, high: float) -> tuple[str, str]:
    """The ends of a range; what is shown can be typed: of one that ends between two cents, the last cent within it."""
    return dollars(low, ROUND_CEILING), dollars(high, ROUND_FLOOR)


def range_in_words(low: float, high: float) -> str:
    """``"from 0 to 100"``, ``"from 0 up"``, ``"up to 100"``, or nothing; see `bounds_shown`."""
    if -low >= UNBOUNDED and high >= UNBOUNDED:
        return ""
    least, most = bounds_shown(low, high)
    if high >= UNBOUNDED:
        return f"from {least} up"
    return f"up to {most}" if -low >= UNBOUNDED else f"from {least} to {most}"


def fields_now(actions: ActionSchema, schema: Mapping[str, Any]) -> dict[str, Mapping[str, Field]]:
    """The fields of each kind of move that is legal now, by its name."""
    options = [option["properties"] for option in schema.get("anyOf", [schema])]
    return {option["kind"]["const"] if "kind" in option else actions.names[0]: option for option in options}


def items_of(field: Field) -> list[Field]:
    """What the schema of a group says about each of its values."""
    return list(field["prefixItems"]) if "prefixItems" in field else [field["items"]] * field["minItems"]


def legal_now(actions: ActionSchema, options: Mapping[str, Mapping[str, Field]]) -> Legal:
    """What may be done now, read back from the fields of the legal moves."""
    fields = [field for option in options.values() for field in option.values()]
    longest = next((field["maxLength"] for field in fields if "maxLength" in field), None)
    length = next((len(items_of(field)) for field in fields if field.get("type") == "array"), 1)
    bounds = [one for kind in actions.kinds for name in kind.numbers for one in _bounds(kind, name, options, length)]
    kinds = tuple(name in options for name in actions.names)
    return Legal(kinds, tuple(bounds), longest is not None, longest=longest)


def _bounds(kind: Kind, name: str, options: Mapping[str, Mapping[str, Field]], length: int) -> list[Bounds]:
    """Of each value of a field, of groups so many; of a kind that is not legal now, anything."""
    if kind.name not in options:
        return [(0.0, 0.0)] * (length if name in kind.groups else 1)
    field, mark = options[kind.name][name], kind.numbers[name]
    return [mark.bounds_in(one) for one in (items_of(field) if field["type"] == "array" else [field])]


def chosen(typed: str, kinds: Sequence[Kind]) -> Kind | None:
    """The kind with this number, this name, or this beginning of a name if only one has it.

    Capital and small letters are the same, and so are a blank and the ``_`` of a name. Where names differ in nothing
    else, they are typed as they are written.
    """
    places = {str(place): kind for place, kind in enumerate(kinds, start=1)}
    if typed in places:
        return places[typed]
    folded = typed.casefold().replace(" ", "_")
    as_written = [kind for kind in kinds if kind.name == typed]
    named = [kind for kind in kinds if kind.name.casefold() == folded]
    begun = [kind for kind in kinds if folded and kind.name.casefold().startswith(folded)]
    found = as_written or named or begun
    return found[0] if len(found) == 1 else None


def number(typed: str) -> float | None:
    """The number that somebody has typed, or None; infinite and undefined ones are none."""
    plain = typed.removeprefix("$").strip()
    if len(plain) > 40 or not NUMBER.fullmatch(plain):
        return None
    try:
        value = float(plain.replace(",", ""))
    except ValueError:  # no digits
        return None
    return value if abs(value) < float("inf") else None
