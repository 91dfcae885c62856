"""Compose a move from a person's validated answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core import ROUND_CEILING, ROUND_FLOOR, dollars, read_text, reason
from econzoo.envs.core.contract import ActionSchema, Bounds, Kind, Legal, Number, Source
from econzoo.envs.core.faces import MAX_EXTRA, Wording, declared_wording

NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""A number as people write it: 6000, 6,000.50, 6e3. A comma only separates thousands."""

UNBOUNDED = 1e12
"""Bounds beyond this are not shown."""

FROM_FILE, LAST_LINE = "@", "."
"""Prefix of a file name, and the line that ends a multi-line text."""

Field = Mapping[str, Any]
"""JSON schema of one field of a move."""


class Questions:
    """Asks for the parts of a move until each is valid.

    Args:
        words: Wording of the seat's replies and of the texts for the person; None: that of the game.
    """

    def __init__(
        self,
        actions: ActionSchema,
        line: Callable[[str], str],
        complain: Callable[[str], None],
        words: Wording | None = None,
    ) -> None:
        self.actions, self._typed, self._complain = actions, line, complain
        self.words = words or declared_wording(actions)
        # Typed texts that are not part of the move, by key.
        self.extra: dict[str, str] = {}

    def _format_text(self, name: str, **fields: Any) -> str:
        """Format a text of the prompts."""
        return self.words.prompts[f"person.{name}"].format(**fields)

    def _line(self, prompt: str) -> str:
        """Read a line without surrounding spaces."""
        return self._typed(prompt).strip()

    def move(self, schema: Mapping[str, Any]) -> Any:
        """Ask for an action; returns `Invalid` if its parts are jointly illegal."""
        options = legal_fields(self.actions, schema)
        kind = self._kind([self.actions.kinds[self.actions.index[name]] for name in options])
        plain: dict[str, Any] = {} if len(self.actions.kinds) == 1 else {"kind": kind.name}
        for name, mark in kind.marks.items():
            field = options[kind.name].get(name)
            if isinstance(mark, Number) and field is not None:
                plain[name] = self._value(self.words.doc(name, mark.doc), field, mark.are_guards)
            elif isinstance(mark, Source):
                plain[name] = self._text(kind.name, mark)
            elif field is not None and (words := self._ask_message(field["maxLength"])):
                plain[name] = words
        extra = {
            key: self._ask_message(MAX_EXTRA, "reason", what=capitalise(doc)) for key, doc in self.words.extra.items()
        }
        self.extra = {key: text for key, text in extra.items() if text}
        legal = parse_legal(self.actions, options)
        return self.actions.fit_to_bounds(legal.bounds).parse(plain, legal)

    def _value(self, doc: str, field: Field, guards: tuple[bool, bool]) -> Any:
        """Ask for a number, an option, or a group of them, unless only one number is possible."""
        if field["type"] == "array":
            items = items_of(field)
            labels = [item["description"] for item in items]
            # The same description for all would not tell which value is asked for.
            if labels[1:] == labels[:-1]:
                places = range(1, len(items) + 1)
                labels = [
                    self._format_text("one_of_several", what=doc, place=place, count=len(items)) for place in places
                ]
            return [self._value(name, item, guards) for name, item in zip(labels, items, strict=True)]
        if "enum" in field:
            return self._option(doc, field["enum"])
        return field["minimum"] if field["minimum"] == field["maximum"] else self._amount(doc, field, guards)

    def _option(self, doc: str, names: Sequence[str]) -> str:
        """Ask for one of several options, by number or name."""
        menu = "   ".join(f"{place}) {name}" for place, name in enumerate(names, start=1))
        while True:
            typed = self._line(self._format_text("option", what=capitalise(doc), menu=menu)).casefold()
            found = [name for place, name in enumerate(names, start=1) if typed in (str(place), name.casefold())]
            if found:
                return found[0]
            self._complain(self._format_text("which_option", names=", ".join(names)))

    def _kind(self, kinds: Sequence[Kind]) -> Kind:
        """Ask for the kind of move, unless there is only one."""
        if len(kinds) == 1:
            return kinds[0]
        names = [self._kind_name(kind).replace("_", " ") for kind in kinds]
        menu = "   ".join(f"{place}) {name}" for place, name in enumerate(names, start=1))
        while True:
            found = match_kind(self._line(self._format_text("move", menu=menu)), kinds, self._kind_name)
            if found is not None:
                return found
            wanted = self._format_text("or").join([", ".join(names[:-1]), names[-1]])
            self._complain(self._format_text("which_move", names=wanted))

    def _kind_name(self, kind: Kind) -> str:
        return self.words.name(kind) or kind.name

    def _amount(self, doc: str, field: Field, guards: tuple[bool, bool]) -> float:
        """Ask for an amount within bounds, an integer if required."""
        question = self._format_text("amount", what=capitalise(doc), range=self.hint(field, guards))
        while True:
            amount = self.amount(self._line(question), field)
            if not isinstance(amount, str):
                return amount
            self._complain(amount)

    def hint(self, field: Field, guards: tuple[bool, bool] = (False, False)) -> str:
        """Describe the valid numbers, without technical bounds (`Number.guards`)."""
        if field["type"] == "integer":
            return self._allowed_numbers(field)
        low, high = -UNBOUNDED if guards[0] else field["minimum"], UNBOUNDED if guards[1] else field["maximum"]
        return self._range(low, high) or self._format_text("any_number")

    def _allowed_numbers(self, field: Field) -> str:
        bounds = self._range(field["minimum"], field["maximum"])
        number = self._format_text("whole_number" if field["type"] == "integer" else "number")
        return f"{number}{' ' if bounds else ''}{bounds}"

    def amount(self, typed: str, field: Field) -> float | str:
        """Parse a typed number, or return an error message."""
        low, high, whole = field["minimum"], field["maximum"], field["type"] == "integer"
        amount = self._number(typed)
        if amount is None:
            return self._format_text(
                "which_whole_number" if whole else "which_number", number=self._allowed_numbers(field)
            )
        if not low <= amount <= high:
            least, most = map(self.words.localize_number, displayed_bounds(low, high))
            return self._format_text("out_of_range", typed=typed[:40], low=least, high=most)
        if whole and amount % 1:
            return self._format_text("not_whole", typed=typed[:40], number=self._allowed_numbers(field))
        return amount

    def _number(self, typed: str) -> float | None:
        """Parse a number in the format of the prompts, else in English format."""
        found = self.words.parse_number(typed)
        # Otherwise the first parser has read English format already.
        return parse_number(typed) if found is None and self.words.signs[0] != "." else found

    def _range(self, low: float, high: float) -> str:
        """Format ``"from 0 to 100"``, ``"from 0 up"``, ``"up to 100"``, or nothing; see `displayed_bounds`."""
        if -low >= UNBOUNDED and high >= UNBOUNDED:
            return ""
        name = "from" if high >= UNBOUNDED else "up_to" if -low >= UNBOUNDED else "range"
        least, most = map(self.words.localize_number, displayed_bounds(low, high))
        return self._format_text(name, low=least, high=most)

    def _text(self, name: str, mark: Source) -> str:
        """Ask for a multi-line text, such as a program, typed or from a file."""
        prompt = self._format_text("text", kind=name)
        while True:
            lines = [self._typed(prompt)]
            if lines[0].strip().startswith(FROM_FILE):
                text = self._read_file(lines[0].strip().removeprefix(FROM_FILE).strip())
            else:
                while lines[-1].strip() != LAST_LINE:
                    lines.append(self._typed("... "))
                text = "\n".join(lines[:-1])
            problem = mark.problem(text) if text is not None else None
            if text is not None and problem is None:
                return text
            if problem is not None:
                self._complain(self._format_text("not_possible", problem=problem.text))

    def _read_file(self, path: str) -> str | None:
        try:
            return read_text(Path(path).expanduser())
        except (OSError, ValueError, RuntimeError) as error:
            self._complain(
                self._format_text("no_file", file=path or self._format_text("file_without_name"), error=reason(error))
            )
            return None

    def _ask_message(self, longest: int, asked: str = "words", **fields: str) -> str:
        """Ask for an optional message."""
        while True:
            typed = self._line(self._format_text(asked, **fields))
            if len(typed) <= longest:
                return typed
            self._complain(self._format_text("too_long", length=len(typed), longest=longest))


def displayed_bounds(low: float, high: float) -> tuple[str, str]:
    """Format the bounds of a range, rounded inwards to cents so that both are valid."""
    return dollars(low, ROUND_CEILING), dollars(high, ROUND_FLOOR)


def capitalise(doc: str) -> str:
    return f"{doc[:1].upper()}{doc[1:]}"


def legal_fields(actions: ActionSchema, schema: Mapping[str, Any]) -> dict[str, Mapping[str, Field]]:
    """Return the fields of each legal kind of move by name."""
    options = [option["properties"] for option in schema.get("anyOf", [schema])]
    return {option["kind"]["const"] if "kind" in option else actions.names[0]: option for option in options}


def items_of(field: Field) -> list[Field]:
    """Return the schemas of the values of a group."""
    return list(field["prefixItems"]) if "prefixItems" in field else [field["items"]] * field["minItems"]


def parse_legal(actions: ActionSchema, options: Mapping[str, Mapping[str, Field]]) -> Legal:
    """Reconstruct the legal moves from their fields."""
    fields = [field for option in options.values() for field in option.values()]
    longest = next((field["maxLength"] for field in fields if "maxLength" in field), None)
    length = next((len(items_of(field)) for field in fields if field.get("type") == "array"), 1)
    bounds = [one for kind in actions.kinds for name in kind.numbers for one in _bounds(kind, name, options, length)]
    kinds = tuple(name in options for name in actions.names)
    return Legal(kinds, tuple(bounds), longest is not None, max_message=longest)


def _bounds(kind: Kind, name: str, options: Mapping[str, Mapping[str, Field]], length: int) -> list[Bounds]:
    """Return the bounds of each value of a field; arbitrary for an illegal kind."""
    if kind.name not in options:
        return [(0.0, 0.0)] * (length if name in kind.groups else 1)
    field, mark = options[kind.name][name], kind.numbers[name]
    return [mark.bounds_in(one) for one in (items_of(field) if field["type"] == "array" else [field])]


def match_kind(
    typed: str, kinds: Sequence[Kind], kind_name: Callable[[Kind], str] = lambda kind: kind.name
) -> Kind | None:
    """Match a kind by number, name, or unique prefix of a name.

    Case is ignored, and spaces match ``_``, unless names only differ in these.
    """
    places = {str(place): kind for place, kind in enumerate(kinds, start=1)}
    if typed in places:
        return places[typed]
    folded = typed.casefold().replace(" ", "_")
    as_written = [kind for kind in kinds if kind_name(kind) == typed]
    named = [kind for kind in kinds if kind_name(kind).casefold() == folded]
    begun = [kind for kind in kinds if folded and kind_name(kind).casefold().startswith(folded)]
    matches = as_written or named or begun
    return matches[0] if len(matches) == 1 else None


def parse_number(typed: str) -> float | None:
    """Parse a finite number, or return None."""
    plain = typed.removeprefix("$").strip()
    if len(plain) > 40 or not NUMBER.fullmatch(plain):
        return None
    try:
        value = float(plain.replace(",", ""))
    except ValueError:  # no digits
        return None
    return value if abs(value) < float("inf") else None
