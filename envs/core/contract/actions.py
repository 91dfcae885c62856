"""Typed moves: one model per kind of move, from which schemas, spaces and checks are derived.

A game declares its kinds of move as NamedTuples whose fields are annotated with marks (see `marks`):

    class Offer(NamedTuple):
        gain: Annotated[float, Amount("dollars that you keep")]
        message: Annotated[str, Message("words to the other player")] = ""

The declaration defines the validation of plain dictionaries, the JSON schema for constrained decoding and
tool calls, the Gymnasium action space and the numeric encoding.

Models compare as tuples: ``Accept() == Reject()`` is True if both have no fields. Compare moves
by `ActionSchema.move`, `ActionSchema.to_plain` (which include the kind) or their class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from econzoo.envs.core.contract.marks import Amount, Choice, Count, Message, Number, Seat, Source
from econzoo.envs.core.contract.moves import Bounds, Legal, Move, new_tuple
from econzoo.envs.core.contract.symbols import alphabet, check_symbol
from econzoo.envs.core.contract.validation import Invalid, check_amount, check_message, check_source, clean
from econzoo.envs.core.contract.validation import format_exact, short_repr, type_name


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

        receivers = self.marks[self.message].recipients if self.message else ()
        for name in receivers:
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
        group: Length of groups.
        width: Length of `Move.values` in the game.
        first: Slot of the first number.
        index: Index of the kind in the game.

    Attributes:
        empty_move: `Move` of a kind without numbers, else None.
        empty_action: Typed action of a kind without fields, else None.
        plain_fields: (index, name) of the fields other than groups and the message.
        groups: (index, name) of the groups.
        message: Name of the message field, or None.
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
            # Decimal amounts that sum exactly need not do so as floats.
            if abs(float(plain[key]) - wanted) > 1e-9 * max(1.0, total):
                both = f'"{amount}" {format_exact(values[amount])} and "{key}" {format_exact(plain[key])}'
                return Invalid("does_not_sum", f"{both} do not sum to {format_exact(total)}")
        return None


def _slots(kind: Kind, group: int, first: int) -> dict[str, slice]:
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


__all__ = ["ActionSchema", "Amount", "Choice", "Count", "Kind", "Legal", "Message", "Move", "Seat", "Source"]


class ActionSchema:
    """All kinds of move of one game.

    Args:
        *kinds: Kinds of move in the order of the rules' `Move.kind`.
        group: Length of groups. None in declarations of games with groups: then the length follows from the
            bounds of a position (`fit_to_bounds`).

    Attributes:
        slots: Count of the numbers of all kinds, one pair each in the rules' `bounds`, in the order of declaration.
        width: Length of `Move.values`: the largest count of numbers of any kind, >= 1.
        first: Slot of the first number of each kind.
        marks: Marks of the numbers of each kind, repeated over the length of groups.
        slot_names: Field name of every slot.
        forms: `Form` of each kind, in order; form_of: the same by model.
        order: Indices of the kinds in the order of forms, schemas and feedback; see `with_order`.
        symbols: Number of symbols that replace messages on the numeric face; see `with_symbols`.
    """

    def __init__(self, *kinds: Kind, group: int | None = None) -> None:
        self.kinds, self.group = kinds, 1 if group is None else group
        self.names = tuple(kind.name for kind in kinds)
        self.index = {kind.name: i for i, kind in enumerate(kinds)}
        self.models = frozenset(kind.model for kind in kinds)
        self.source: tuple[str, Source] | None = next(iter(kinds[0].marks.items())) if kinds[0].source else None
        self.has_groups = any(kind.groups for kind in kinds)
        self._needs_group_size, self._fitted_schemas = self.has_groups and group is None, dict[int, ActionSchema]()
        self.marks = [kind.slot_marks(self.group) for kind in kinds]
        counts = [len(marks) for marks in self.marks]
        self.slots, self.width = sum(counts), max(1, *counts)
        self.first = [sum(counts[:i]) for i in range(len(kinds))]
        self.slot_names = [name for kind in kinds for name in kind.slot_names(self.group)]
        both = enumerate(zip(kinds, self.first, strict=True))
        self.forms = [Form(kind, self.group, self.width, first, i) for i, (kind, first) in both]
        self.form_of = dict(zip([kind.model for kind in kinds], self.forms, strict=True))
        self._by_name = dict(zip(self.names, self.forms, strict=True))
        self._names_kinds = len(kinds) > 1
        self.order: tuple[int, ...] = tuple(range(len(kinds)))
        self.symbols = 0

    def fit_to_bounds(self, bounds: Sequence[Bounds]) -> ActionSchema:
        """Return the schema with the length of groups that these bounds imply.

        Raises:
            ValueError: The number of bounds does not match the kinds.
        """
        if len(bounds) == self.slots:
            return self
        if len(bounds) not in self._fitted_schemas:
            self._fitted_schemas[len(bounds)] = (
                self._with_bound_count(len(bounds)).with_order(self.order).with_symbols(self.symbols)
            )
        return self._fitted_schemas[len(bounds)]

    def _with_bound_count(self, bounds: int) -> ActionSchema:
        groups = sum(len(kind.groups) for kind in self.kinds)
        length, rest = divmod(bounds - sum(len(kind.numbers) for kind in self.kinds) + groups, groups or 1)
        if rest or length < 0 or (length and not groups):
            raise ValueError(f"bounds: got {bounds} pairs for the kinds of move {self.names}, expected one per number")
        return ActionSchema(*self.kinds, group=length) if groups else self

    def with_order(self, order: Iterable[int]) -> ActionSchema:
        """Return the schema with another display order; the numeric encoding is unchanged.

        Args:
            order: Permutation of the indices of the kinds.
        """
        other = copy(self)
        # A cache of its own: the copied one has schemas in the old order.
        other.order, other._fitted_schemas = tuple(order), {}
        return other

    def with_symbols(self, symbols: int) -> ActionSchema:
        """Return the schema with messages replaced by one of `symbols` symbols on the numeric face."""
        if symbols == self.symbols:
            return self
        other = copy(self)
        other.symbols, other._fitted_schemas = symbols, {}
        return other

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys of plain dictionaries; ``kind`` comes first if there are several kinds."""
        names: dict[str, None] = {"kind": None} if self._names_kinds else {}
        for kind in self.kinds:
            names.update(dict.fromkeys([*kind.marks, *kind.complements]))
        return tuple(names)

    def move(self, action: Any) -> Move:
        """Convert a typed action to a `Move` of the rules."""
        form = self.form_of[action.__class__]
        return form.empty_move or new_tuple(Move, (form.index, form.values(action)))

    def from_plain(self, plain: Mapping[str, Any]) -> Any:
        """Convert a plain dictionary from `to_plain` to a typed action, unchecked."""
        keys = dict(plain)
        kind = self.kinds[self.index[keys.pop("kind", self.names[0])]]
        return kind.model(**{key: tuple(value) if key in kind.groups else value for key, value in keys.items()})

    def kind_and_message(self, action: Any) -> tuple[str, str]:
        """Return (name of the kind, message or "") of a typed action."""
        form = self.form_of[action.__class__]
        return form.name, action[-1] if form.message else ""

    def make(self, index: int, values: Sequence[float] = (), message: str = "") -> Any:
        """Build a typed action from the index of its kind and the numbers of `Move.values`."""
        return self.forms[index].action(values, message)

    def to_plain(self, action: Any, **leading_keys: Any) -> dict[str, Any]:
        """Convert a typed action to a plain dictionary after `leading_keys`; omit an empty message."""
        form = self.form_of[action.__class__]
        if self._names_kinds:
            leading_keys["kind"] = form.name
        for place, name in form.plain_fields:
            leading_keys[name] = action[place]
        for place, name in form.groups:
            leading_keys[name] = list(action[place])
        if form.message and action[-1]:
            leading_keys[form.message] = action[-1]
        return leading_keys

    def parse(self, plain: Any, legal: Legal) -> Any:
        """Convert a plain dictionary to a typed action; ``kind`` is optional if there is only one.

        Args:
            plain: For example ``{"kind": "offer", "gain": 6000.0, "message": "..."}``.
            legal: Legal moves of the seat.

        Returns:
            Typed action, or an `Invalid`.
        """
        if self._needs_group_size and len(legal.bounds) != self.slots:
            return self.fit_to_bounds(legal.bounds).parse(plain, legal)
        action = self._parse_simple(plain, legal) if plain.__class__ is dict else None
        if action is None:
            action = self._parse_any(plain, legal)
        return action if legal.refusal is None else self.validate_action(action, legal)

    def validate_action(self, action: Any, legal: Legal) -> Any:
        """Return the action, or an `Invalid` if the rules refuse its combination of numbers."""
        if legal.refusal is None or action.__class__ is Invalid:
            return action
        why = legal.refusal(self.fit_to_bounds(legal.bounds).move(action))
        return (
            action
            if why is None
            else Invalid("refused", f'"{self.kind_and_message(action)[0]}" cannot be played: {why}')
        )

    def _parse_simple(self, plain: dict[str, Any], legal: Legal) -> Any:
        """Fast path: convert a dictionary of exact types; None: use `_parse_any`."""
        form: Form | None = self.forms[0]
        if self._names_kinds:
            name = plain.get("kind")
            form = self._by_name.get(name) if name.__class__ is str else None
        # Anything unusual, valid or not, is left to `_parse_any`, which alone words errors.
        if form is None or form.amounts is None or not legal.kinds[form.index]:
            return None
        if form.empty_action is not None:
            return form.empty_action if len(plain) == self._names_kinds else None
        values: list[Any] = []
        for key, slot, whole in form.amounts:
            amount, (low, high) = plain.get(key), legal.bounds[slot]
            # By class, as True is an int.
            if (amount.__class__ is not float and amount.__class__ is not int) or not low <= amount <= high:
                return None
            if whole and amount % 1:
                return None
            values.append(float(amount))
        keys = self._names_kinds + len(values)
        if form.message:
            message: Any = ""
            if form.message in plain:
                message, keys = plain[form.message], keys + 1
                if message.__class__ is not str or legal.messages is not True:  # symbols: slow path
                    return None
                if len(message) > (legal.max_message or form.max_length) or not message.isprintable():
                    return None
            values.append(message)
        return new_tuple(form.model, tuple(values)) if keys == len(plain) else None

    def _parse_any(self, plain: Any, legal: Legal) -> Any:
        if not isinstance(plain, Mapping):
            return Invalid("not_an_object", f"the move must be an object with keys; got {type_name(plain)}")
        name = plain.get("kind") if self._names_kinds or "kind" in plain else self.names[0]
        index = self.index.get(name, -1) if isinstance(name, str) else -1
        if index < 0:
            return self._unknown_kind(plain, legal)
        if not legal.kinds[index]:
            return Invalid("illegal_now", f'"{self.names[index]}" is not possible now; {self.describe_allowed(legal)}')
        form = self.forms[index]
        # The key is valid where there is only one kind, too: there it is optional.
        values = form.check_fields(plain, legal, {"kind"})
        return (
            values
            if isinstance(values, Invalid)
            else form.check_sums(plain, values, legal) or form.kind.model(**values)
        )

    def _unknown_kind(self, plain: Mapping, legal: Legal) -> Invalid:
        if "kind" not in plain:
            return Invalid("missing_key", f'the key "kind" is missing; {self.describe_allowed(legal)}')
        return Invalid("unknown_kind", f"unknown kind {short_repr(plain['kind'])}; {self.describe_allowed(legal)}")

    def describe_allowed(self, legal: Legal) -> str:
        """List the kinds that are legal now, for feedback."""
        names = [f'"{self.names[i]}"' for i in self.order if legal.kinds[i]]
        return f"allowed now: {', '.join(names) or 'nothing'}"

    def tokens(self, legal: Legal) -> int:
        """Estimate the most tokens of a reply with any move from the fields.

        Args:
            legal: Legal moves of the seat; its `kinds` are ignored.
        """
        sized = self.fit_to_bounds(legal.bounds)
        return FORM_TOKENS + max(map(partial(_count_tokens, legal), sized.kinds, sized.marks))

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        """JSON schema of the plain dictionaries that are legal now, checked field by field."""
        forms = self.fit_to_bounds(legal.bounds).forms
        possible = [forms[i] for i in self.order if legal.kinds[i]]
        named: list[dict[str, Any]] = [{"kind": {"const": f.kind.name}} if self._names_kinds else {} for f in possible]
        options = [
            _object_schema({**name, **form.field_schemas(legal)}) for name, form in zip(named, possible, strict=True)
        ]
        return options[0] if len(options) == 1 else {"anyOf": options}


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


FORM_TOKENS = 64
"""Tokens for the form of an answer and a sentence or two around it."""


def _count_tokens(legal: Legal, kind: Kind, numbers: Sequence[Number]) -> int:
    """Return the most tokens of the fields of a move."""
    fields = [mark.tokens for mark in numbers]
    if kind.message and legal.messages:
        fields.append(Message.count_tokens(legal.max_message or kind.marks[kind.message].max_length))
    if kind.source:
        fields.append(kind.source.tokens)
    return sum(fields)
