"""What a kind of move is: a name, a typed model, and the marks of its fields (see `actions`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from econzoo.envs.core.contract.marks import Message, Number, Seat, Source


@dataclass(frozen=True)
class Kind:
    """One kind of move.

    Attributes:
        name: Value of the key ``"kind"`` in plain dictionaries.
        model: The NamedTuple class: numbers first, then words; or a `Source` alone.
        complements: Extra keys a plain dictionary may carry as a cross-check, with the amount that each must
            equal given (upper limit, amount). They refer to the first number, are checked and not kept.
    """

    name: str
    model: Any
    complements: Mapping[str, Callable[[float, float], float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        order = [*self.numbers, *([self.message] if self.message else [])]
        alone = self.source is not None and len(self.model._fields) == 1
        if not alone and list(self.model._fields) != order:
            allowed = "numbers (Amount, Count, Choice, Seat) and then a Message, either or none, or a Source alone"
            raise ValueError(f"{self.name}: {self.model.__name__} must have {allowed}")

        heard = self.marks[self.message].to if self.message else ()
        for name in heard:
            if not isinstance(self.numbers.get(name), Seat):
                seats = [other for other, mark in self.numbers.items() if isinstance(mark, Seat)]
                raise ValueError(f"{self.name}: to={name!r} is not allowed; allowed: fields that name seats, {seats}")

    @cached_property
    def _hints(self) -> dict[str, tuple[Any, ...]]:
        """Field name to its type and mark."""
        hints = get_type_hints(self.model, include_extras=True)
        return {name: get_args(hint)[:2] for name, hint in hints.items() if get_origin(hint) is Annotated}

    @cached_property
    def marks(self) -> dict[str, Any]:
        """Field name to its mark."""
        return {name: mark for name, (_, mark) in self._hints.items()}

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """The fields that carry numbers, in order."""
        return {name: mark for name, mark in self.marks.items() if isinstance(mark, Number)}

    @cached_property
    def groups(self) -> frozenset[str]:
        """Of the numbers, those that are groups."""
        return frozenset(name for name in self.numbers if get_origin(self._hints[name][0]) is tuple)

    @cached_property
    def amount(self) -> str | None:
        """The only number, if there is one and no more; so that games of one amount stay short."""
        return next(iter(self.numbers)) if len(self.numbers) == 1 and not self.groups else None

    @cached_property
    def message(self) -> str | None:
        """Name of the field that carries words, if there is one."""
        return next((name for name, mark in self.marks.items() if isinstance(mark, Message)), None)

    @cached_property
    def source(self) -> Source | None:
        """The mark of the field that carries a text which is the move, if there is one."""
        return next((mark for mark in self.marks.values() if isinstance(mark, Source)), None)

    @cached_property
    def whole(self) -> bool:
        """Whether its numbers, or the places in a library that stand for it, are whole."""
        return self.source is not None or any(mark.whole for mark in self.numbers.values())

    def slots(self, group: int) -> list[str]:
        """The name of every number, those of groups as often as they are long."""
        return [name for name in self.numbers for _ in range(group if name in self.groups else 1)]

    def sized(self, group: int) -> tuple[Number, ...]:
        """The mark of every number, those of groups as often as they are long."""
        return tuple([self.numbers[name] for name in self.slots(group)])
