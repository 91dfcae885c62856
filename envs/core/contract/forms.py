"""One kind of move: declaration (`Kind`), and conversion, validation and JSON schema (`Form`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from econzoo.envs.core.contract.marks import Amount, Message, Number, Seat, Source
from econzoo.envs.core.contract.moves import Legal, Move, new_tuple
from econzoo.envs.core.contract.symbols import alphabet, check_symbol
from econzoo.envs.core.contract.validation import (
    Invalid,
    check_amount,
    check_message,
    check_source,
    clean,
    format_exact,
    short_repr,
)


@dataclass(frozen=True)
class Kind:
    """One kind of move.

    Attributes:
        name: Value of the key ``"kind"`` in plain dictionaries.
        model: NamedTuple class: numbers, then an optional message; or a single `Source`.
        complements: Extra keys of plain dictionaries as a cross-check, with the amount that each must
            equal given (upper limit, amount) of the first number. They are validated and dropped.
    """

    name: str
    model: Any
    complements: Mapping[str, Callable[[float, float], float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        order = [*self.numbers, *([self.message] if self.message else [])]
        alone = self.source is not None and len(self.model._fields) == 1
        if not alone and list(self.model._fields) != order:
            allowed = "numbers (Amount, Count, Choice, Seat), then an optional Message, or a single Source"
            raise ValueError(f"{self.name}: {self.model.__name__} must have {allowed}")

        heard = self.marks[self.message].recipients if self.message else ()
        for name in heard:
            if not isinstance(self.numbers.get(name), Seat):
                seats = [other for other, mark in self.numbers.items() if isinstance(mark, Seat)]
                raise ValueError(f"{self.name}: invalid to={name!r}: expected one of the seat fields {seats}")

    @cached_property
    def _hints(self) -> dict[str, tuple[Any, ...]]:
        """Field name to (type, mark)."""
        hints = get_type_hints(self.model, include_extras=True)
        return {name: get_args(hint)[:2] for name, hint in hints.items() if get_origin(hint) is Annotated}

    @cached_property
    def marks(self) -> dict[str, Any]:
        """Field name to mark."""
        return {name: mark for name, (_, mark) in self._hints.items()}

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """Numeric fields in order."""
        return {name: mark for name, mark in self.marks.items() if isinstance(mark, Number)}

    @cached_property
    def groups(self) -> frozenset[str]:
        """Names of the numeric fields that are groups."""
        return frozenset(name for name in self.numbers if get_origin(self._hints[name][0]) is tuple)

    @cached_property
    def amount(self) -> str | None:
        """Name of the only number, or None."""
        return next(iter(self.numbers)) if len(self.numbers) == 1 and not self.groups else None

    @cached_property
    def message(self) -> str | None:
        """Name of the message field, or None."""
        return next((name for name, mark in self.marks.items() if isinstance(mark, Message)), None)

    @cached_property
    def source(self) -> Source | None:
        """Mark of the `Source` field, or None."""
        return next((mark for mark in self.marks.values() if isinstance(mark, Source)), None)

    @cached_property
    def is_integer(self) -> bool:
        """Whether its numbers, or indices into its library, are integers."""
        return self.source is not None or any(mark.is_integer for mark in self.numbers.values())

    def slot_names(self, group: int) -> list[str]:
        """Names of all numbers, repeated over the length of groups."""
        return [name for name in self.numbers for _ in range(group if name in self.groups else 1)]

    def slot_marks(self, group: int) -> tuple[Number, ...]:
        """Marks of all numbers, repeated over the length of groups."""
        return tuple([self.numbers[name] for name in self.slot_names(group)])


class Form:
    """One kind of move within a schema.

    Args:
        kind: Kind of move.
        group: Length of groups.
        width: Length of `Move.values` in the game.
        first: Slot of the first number.
        index: Index of the kind in the game.

    Attributes:
        name: Name of the kind; model: class of its moves.
        empty_move: `Move` of a kind without numbers, else None.
        empty_action: Typed action of a kind without fields, else None.
        plain_fields: (index, name) of the fields other than groups and the message.
        groups: (index, name) of the groups.
        message: Name of the message field, or None.
        max_length: Maximum characters of the message.
        amounts: (name, slot, is_integer) of every number if all are single amounts, else None.
    """

    def __init__(self, kind: Kind, group: int, width: int, first: int, index: int) -> None:
        self.index, self.empty_move = index, None if kind.slot_marks(group) else Move(index, (0.0,) * width)
        self.kind, self.name, self.model, self.message = kind, kind.name, kind.model, kind.message
        self._group, self._pad = group, (0.0,) * (width - len(kind.slot_marks(group)))
        self.max_length = kind.marks[kind.message].max_length if kind.message else 0
        names = [name for name in kind.marks if name != kind.message]
        self.plain_fields = [(place, name) for place, name in enumerate(names) if name not in kind.groups]
        self.groups = [(place, name) for place, name in enumerate(names) if name in kind.groups]
        self._slots = _slots(kind, group, first)
        self._has_amounts_only = not kind.groups and all(type(mark) is Amount for mark in kind.numbers.values())
        self._count = len(kind.numbers)
        self.empty_action = None if kind.marks else new_tuple(kind.model, ())
        self._is_one_amount = self._has_amounts_only and self._count == width == 1
        self.amounts = None
        if self._has_amounts_only and not kind.source:
            self.amounts = [(name, self._slots[name].start, mark.is_integer) for name, mark in kind.numbers.items()]

    def values(self, action: Any) -> tuple[float, ...]:
        """Return `Move.values` of an action."""
        if self._is_one_amount:
            return (action[0],)
        if self._has_amounts_only:
            return action[: self._count] + self._pad
        return (*self._numbers(action), *self._pad)

    def _numbers(self, action: Any) -> Iterator[float]:
        for (name, mark), given in zip(self.kind.numbers.items(), action, strict=False):
            for one in given if name in self.kind.groups else (given,):
                yield mark.to_number(one)

    def action(self, values: Sequence[float], message: str) -> Any:
        """Build the typed action from numbers and message; for a `Source`, from an index into its library."""
        if self.kind.source is not None:
            return self.kind.model(self.kind.source.library()[int(values[0])])
        if self._has_amounts_only:
            own = tuple(values[: self._count])
            return new_tuple(self.kind.model, (*own, message) if self.message else own)
        fields, place = [], 0
        for name, mark in self.kind.numbers.items():
            size = self._group if name in self.kind.groups else 1
            shown = [mark.from_number(number) for number in values[place : place + size]]
            fields.append(tuple(shown) if name in self.kind.groups else shown[0])
            place += size
        return self.kind.model(*fields, *([message] if self.message else []))

    def field_schemas(self, legal: Legal) -> dict[str, Any]:
        """JSON schemas of the fields by name."""
        properties: dict[str, Any] = {}
        for name, mark in self.kind.marks.items():
            if isinstance(mark, Number):
                bounds = legal.bounds[self._slots[name]]
                own = [
                    {**mark.schema(pair), "description": mark.describe_item(place)} for place, pair in enumerate(bounds)
                ]
                properties[name] = _array_schema(own, mark.doc) if name in self.kind.groups else own[0]
            elif isinstance(mark, Source):
                properties[name] = {"type": "string", "maxLength": mark.max_length, "description": mark.doc}
            elif symbols := alphabet(legal.messages):
                properties[name] = {"type": "string", "enum": list(symbols), "description": mark.doc}
            elif legal.messages:
                longest = legal.max_message or mark.max_length
                properties[name] = {"type": "string", "maxLength": longest, "description": mark.doc}
        return properties

    def check_fields(self, plain: Mapping, legal: Legal, known: set[str]) -> dict[str, Any] | Invalid:
        """Validate and clean the fields of the model; `known` are further valid keys."""
        values: dict[str, Any] = {}
        for key, value in plain.items():
            if key in self.kind.marks:
                problem = self._problem(key, value, legal)
                if problem is not None:
                    return problem
                values[key] = self._from_plain(key, value)
            elif key not in self.kind.complements and key not in known:
                takes = ", ".join(self.kind.marks) or "no other keys"
                return Invalid("unknown_key", f"unknown key {short_repr(key)}; {self.kind.name} takes {takes}")
        for key in self.kind.marks:
            if key not in values and key != self.message:
                return Invalid("missing_key", f'"{self.kind.name}" needs the key "{key}"')
        return values

    def _problem(self, key: str, value: Any, legal: Legal) -> Invalid | None:
        mark = self.kind.marks[key]
        if isinstance(mark, Source):
            return check_source(key, value, mark.max_length) or mark.problem(clean(value))
        if isinstance(mark, Message):
            longest = (legal.max_message or mark.max_length) if legal.messages else 0
            return check_message(key, value, longest) or check_symbol(key, clean(value), legal.messages)
        bounds = legal.bounds[self._slots[key]]
        if key not in self.kind.groups:
            return mark.problem(key, value, bounds[0])
        if not isinstance(value, list | tuple) or len(value) != len(bounds):
            return Invalid("wrong_type", f'"{key}" must be a list of {len(bounds)} values; got {short_repr(value)}')
        for place, one in enumerate(value):
            problem = mark.problem(f"{key}[{place}]", one, bounds[place])
            if problem is not None:
                return problem
        return None

    def _from_plain(self, key: str, value: Any) -> Any:
        mark = self.kind.marks[key]
        if not isinstance(mark, Number):
            return clean(value)
        if key in self.kind.groups:
            return tuple([mark.from_number(mark.to_number(one)) for one in value])
        return mark.from_number(mark.to_number(value))

    def check_sums(self, plain: Mapping, values: Mapping, legal: Legal) -> Invalid | None:
        """Validate the cross-check keys, with a tolerance of 1e-9 of the total."""
        for key, expected in self.kind.complements.items():
            if key not in plain:
                continue
            amount, own = next(iter(self._slots.items()))
            bounds = legal.bounds[own.start]
            problem = check_amount(key, plain[key], bounds)
            if problem is not None:
                return problem
            total = bounds[1]
            wanted = expected(total, values[amount])
            if abs(float(plain[key]) - wanted) > 1e-9 * max(1.0, total):
                both = f'"{amount}" {format_exact(values[amount])} and "{key}" {format_exact(plain[key])}'
                return Invalid("does_not_sum", f"{both} do not sum to {format_exact(total)}")
        return None


def _slots(kind: Kind, group: int, first: int) -> dict[str, slice]:
    """Slots of each number of a kind."""
    out = {}
    for name in kind.numbers:
        size = group if name in kind.groups else 1
        out[name] = slice(first, first + size)
        first += size
    return out


def _array_schema(items: list[dict[str, Any]], doc: str) -> dict[str, Any]:
    """JSON schema of a group; equal items share one schema."""
    same = all(item == items[0] for item in items)
    inside: dict[str, Any] = {"items": items[0]} if items and same else {"prefixItems": items, "items": False}
    return {"type": "array", **inside, "minItems": len(items), "maxItems": len(items), "description": doc}
