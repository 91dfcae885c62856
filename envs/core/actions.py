"""Typed moves: one model per kind of move, and everything that follows from it.

A game declares its kinds of move as NamedTuples whose fields are annotated:

    class Offer(NamedTuple):
        gain: Annotated[float, Amount("dollars that you keep")]
        message: Annotated[str, Message("words to the other player")] = ""

From that one declaration come the check of a plain dictionary, the JSON schema for constrained decoding and
tool calls, the Gymnasium action space and the grid of amounts for reinforcement learning.

Models are tuples, and equal as tuples are: ``Accept() == Reject()`` is True where both have no fields. Compare moves
by `ActionSchema.move` or `ActionSchema.plain`, which name the kind, or ask for their class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, NamedTuple

from econzoo.envs.core.amounts import in_full
from econzoo.envs.core.kinds import MAX_MESSAGE as MAX_MESSAGE  # noqa: PLC0414 (games take the four from here)
from econzoo.envs.core.kinds import Amount as Amount  # noqa: PLC0414
from econzoo.envs.core.kinds import Kind as Kind  # noqa: PLC0414
from econzoo.envs.core.kinds import Message as Message  # noqa: PLC0414
from econzoo.envs.core.kinds import Source as Source  # noqa: PLC0414
from econzoo.envs.core.values import Invalid, check_amount, check_message, check_source, clean, short, type_name

__all__ = ["ActionSchema", "Amount", "Kind", "Legal", "Message", "Move", "Source"]

new: Callable[[type[Any], tuple[Any, ...]], Any] = tuple.__new__
"""Makes a NamedTuple of a tuple of all its fields in half the time; for what happens at every move."""


class Move(NamedTuple):
    """A move as the rules see it.

    Attributes:
        kind: Index into the game's kinds of move.
        amount: Exact amount in the game's own unit; 0.0 for a kind that carries none.
    """

    kind: int
    amount: float


class Legal(NamedTuple):
    """What a seat may do now.

    Attributes:
        kinds: One flag per kind of move, in the schema's order.
        limits: Smallest and largest amount, inclusive.
        messages: Whether words may be sent.
        span: Amounts that make sense, for grids and random play; None: all within the limits.
        longest: Characters that a message may have; None: as each kind of move says.
    """

    kinds: tuple[bool, ...]
    limits: tuple[float, float]
    messages: bool
    span: tuple[float, float] | None = None
    longest: int | None = None

    @property
    def usual(self) -> tuple[float, float]:
        """Smallest and largest amount that makes sense."""
        return self.limits if self.span is None else self.span


class ActionSchema:
    """All kinds of move of one game.

    Args:
        *kinds: In the order of the rules' `Move.kind`.
    """

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self.names = tuple(kind.name for kind in kinds)
        self.index = {kind.name: i for i, kind in enumerate(kinds)}
        self.models = frozenset(kind.model for kind in kinds)
        self._model_index = {kind.model: i for i, kind in enumerate(kinds)}
        self._plain = [(k.name, k.amount, k.message) for k in kinds]
        self._parts = [_part(kind) for kind in kinds]
        self._longest = [kind.marks[kind.message].max_length if kind.message else 0 for kind in kinds]
        self._whole = [kind.whole for kind in kinds]
        self._amount_only = [kind.model if kind.amount and not kind.message else None for kind in kinds]
        self._named = len(kinds) > 1
        self._sources = [kind.source for kind in kinds]
        self._texts = {i: name for i, kind in enumerate(kinds) for name in kind.marks if kind.source}
        self.source: tuple[str, Source] | None = next(iter(kinds[0].marks.items())) if kinds[0].source else None

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that a plain dictionary of some kind may have, ``kind`` first unless there is one kind only."""
        names: dict[str, None] = {"kind": None} if self._named else {}
        for kind in self.kinds:
            names.update(dict.fromkeys([*kind.marks, *kind.complements]))
        return tuple(names)

    def move(self, action: Any) -> Move:
        """A typed action as the rules take it."""
        index = self._model_index[action.__class__]
        return new(Move, (index, action[0] if self._plain[index][1] else 0.0))

    def told(self, action: Any) -> tuple[str, str]:
        """(name of its kind, words) of a typed action; no words where there are none."""
        name, _, message = self._plain[self._model_index[action.__class__]]
        return name, action[-1] if message else ""

    def make(self, index: int, amount: float = 0.0, message: str = "") -> Any:
        """A typed action of the kind with this index."""
        source = self._sources[index]
        if source is not None:
            return self.kinds[index].model(source.library()[int(amount)])
        values: tuple[Any, ...] = (amount, message)
        return self.kinds[index].model(*values[self._parts[index]])

    def plain(self, action: Any, **before: Any) -> dict[str, Any]:
        """A typed action as a plain dictionary, after the keys in `before`; an empty message is left out."""
        index = self._model_index[action.__class__]
        name, amount, message = self._plain[index]
        if self._named:
            before["kind"] = name
        if amount:
            before[amount] = action[0]  # an amount is the first field of its model, a message the last
        elif index in self._texts:
            before[self._texts[index]] = action[0]
        if message and action[-1]:
            before[message] = action[-1]
        return before

    def parse(self, plain: Any, legal: Legal) -> Any:
        """A plain dictionary as a typed action; ``kind`` may be left out where there is one kind of move.

        Args:
            plain: For example ``{"kind": "offer", "gain": 6000.0, "message": "..."}``.
            legal: What the seat may do now.

        Returns:
            The typed action, or an `Invalid` that says what was wrong.
        """
        action = self._parse_plainest(plain, legal) if plain.__class__ is dict else None
        return self._parse_any(plain, legal) if action is None else action

    def _parse_plainest(self, plain: dict[str, Any], legal: Legal) -> Any:
        """The typed action of a dictionary that has the exact types and nothing to check twice; None: look closer."""
        index, keys = 0, 0
        if self._named:
            name = plain.get("kind")
            index, keys = self.index.get(name, -1) if name.__class__ is str else -1, 1
        if index < 0 or not legal.kinds[index] or self._sources[index]:
            return None
        _, amount_name, message_name = self._plain[index]
        amount: Any = 0.0
        message: Any = ""
        if amount_name:
            amount, keys = plain.get(amount_name), keys + 1
            if amount.__class__ is not float and amount.__class__ is not int:
                return None
            if not legal.limits[0] <= amount <= legal.limits[1] or (self._whole[index] and amount % 1):
                return None
        if message_name and message_name in plain:
            message, keys = plain[message_name], keys + 1
            if message.__class__ is not str or not message.isprintable():
                return None
            if not legal.messages or len(message) > (legal.longest or self._longest[index]):
                return None
        if keys != len(plain):
            return None
        model = self._amount_only[index]
        return self.make(index, float(amount), message) if model is None else new(model, (float(amount),))

    def _parse_any(self, plain: Any, legal: Legal) -> Any:
        if not isinstance(plain, Mapping):
            return Invalid("not_an_object", f"the move must be an object with keys; got {type_name(plain)}")
        name = plain.get("kind") if self._named or "kind" in plain else self.names[0]
        index = self.index.get(name, -1) if isinstance(name, str) else -1
        if index < 0:
            return self._unknown_kind(plain, legal)
        if not legal.kinds[index]:
            return Invalid("illegal_now", f'"{self.names[index]}" is not possible now; {self.allowed(legal)}')
        kind = self.kinds[index]
        values = _values(kind, plain, legal, {"kind"})
        return values if isinstance(values, Invalid) else _sums(kind, plain, values, legal) or kind.model(**values)

    def _unknown_kind(self, plain: Mapping, legal: Legal) -> Invalid:
        if "kind" not in plain:
            return Invalid("missing_key", f'the key "kind" is missing; {self.allowed(legal)}')
        return Invalid("unknown_kind", f"unknown kind {short(plain['kind'])}; {self.allowed(legal)}")

    def allowed(self, legal: Legal) -> str:
        """The kinds possible now, in words."""
        names = [f'"{n}"' for n, ok in zip(self.names, legal.kinds, strict=True) if ok]
        return f"allowed now: {', '.join(names) or 'nothing'}"

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        """JSON schema of the plain dictionaries that are legal now."""
        options = [
            self._kind_schema(kind, legal) for kind, possible in zip(self.kinds, legal.kinds, strict=True) if possible
        ]
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _kind_schema(self, kind: Kind, legal: Legal) -> dict[str, Any]:
        low, high = legal.limits
        properties: dict[str, Any] = {"kind": {"const": kind.name}} if self._named else {}
        for name, mark in kind.marks.items():
            if isinstance(mark, Amount):
                kind_of_number = "integer" if mark.whole else "number"
                properties[name] = {"type": kind_of_number, "minimum": low, "maximum": high, "description": mark.doc}
            elif isinstance(mark, Source):
                words = {"description": mark.doc, "examples": list(mark.library()[:1])}
                properties[name] = {"type": "string", "maxLength": mark.max_length, **words}
            elif legal.messages:
                longest = legal.longest or mark.max_length
                properties[name] = {"type": "string", "maxLength": longest, "description": mark.doc}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def _part(kind: Kind) -> slice:
    """Which part of (amount, message) are the fields of a kind's model, in this order."""
    expected = tuple(name for name in (kind.amount, kind.message) if name)
    if kind.model._fields != expected and not (kind.source and len(kind.model._fields) == 1):
        allowed = "an Amount, a Message, both in this order, or none, or a Source"
        raise ValueError(f"{kind.name}: {kind.model.__name__} must have {allowed}")
    return slice(0 if kind.amount else 1, 2 if kind.message else 1)


def _values(kind: Kind, plain: Mapping, legal: Legal, known: Set[str]) -> dict[str, Any] | Invalid:
    """The fields of a kind's model, checked and cleaned; `known` are keys that say something else."""
    values: dict[str, Any] = {}
    for key, value in plain.items():
        if key in kind.marks:
            problem = _check(kind, key, value, legal)
            if problem is not None:
                return problem
            values[key] = float(value) if isinstance(kind.marks[key], Amount) else clean(value)
        elif key not in kind.complements and key not in known:
            takes = ", ".join(kind.marks) or "no other keys"
            return Invalid("unknown_key", f"unknown key {short(key)}; {kind.name} takes {takes}")
    if kind.amount and kind.amount not in values:
        return Invalid("missing_key", f'"{kind.name}" needs the key "{kind.amount}"')
    if kind.source and not values:
        return Invalid("missing_key", f'"{kind.name}" needs the key "{next(iter(kind.marks))}"')
    return values


def _check(kind: Kind, key: str, value: Any, legal: Legal) -> Invalid | None:
    mark = kind.marks[key]
    if isinstance(mark, Amount):
        return check_amount(key, value, legal.limits, mark.whole)
    if isinstance(mark, Source):
        return check_source(key, value, mark.max_length) or mark.problem(clean(value))
    return check_message(key, value, (legal.longest or mark.max_length) if legal.messages else 0)


def _sums(kind: Kind, plain: Mapping, values: Mapping, legal: Legal) -> Invalid | None:
    """Checks the cross-check keys; a billionth of the total is allowed for rounding."""
    for key, expected in kind.complements.items():
        if key not in plain or kind.amount is None:
            continue
        problem = check_amount(key, plain[key], legal.limits)
        if problem is not None:
            return problem
        total = legal.limits[1]
        wanted = expected(total, values[kind.amount])
        if abs(float(plain[key]) - wanted) > 1e-9 * max(1.0, total):
            both = f'"{kind.amount}" {in_full(values[kind.amount])} and "{key}" {in_full(plain[key])}'
            return Invalid("does_not_sum", f"{both} do not sum to {in_full(total)}")
    return None
