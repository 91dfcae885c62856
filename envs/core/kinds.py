"""What a kind of move is declared with: amounts, words, texts that are moves (see `econzoo.envs.core.actions`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from econzoo.envs.core.values import Invalid

MAX_MESSAGE = 500
"""Characters that a message may have."""


@dataclass(frozen=True)
class Amount:
    """Marks the field that carries the amount of a move; its range is the rules' `limits`.

    Attributes:
        doc: What it is, with its unit.
        whole: Whether only whole numbers are amounts.
    """

    doc: str
    whole: bool = False


@dataclass(frozen=True)
class Message:
    """Marks the field that carries words."""

    doc: str
    max_length: int = MAX_MESSAGE


@dataclass(frozen=True)
class Source:
    """Marks the field that carries a text which is itself the move, such as the source of a program.

    Attributes:
        doc: What it is.
        library: Ready-made texts. Where moves are numbers, their places in it stand for them.
        problem: Why a text is no such move, or None.
        found: The text in a free reply, or an `Invalid` if there is none or more than one.
        max_length: Characters that it may have.
        language: In which it is written, as code fences name it.
        names: What the ready-made texts are called, in their order.
    """

    doc: str
    library: Callable[[], Sequence[str]]
    problem: Callable[[str], Invalid | None]
    found: Callable[[str], str | Invalid]
    max_length: int
    language: str = ""
    names: Callable[[], Sequence[str]] = tuple


@dataclass(frozen=True)
class Kind:
    """One kind of move.

    Attributes:
        name: Value of the key ``"kind"`` in plain dictionaries.
        model: The NamedTuple class.
        complements: Extra keys a plain dictionary may carry as a cross-check, with the amount that each must
            equal given (upper limit, amount). They are checked and not kept.
    """

    name: str
    model: Any
    complements: Mapping[str, Callable[[float, float], float]] = field(default_factory=dict)

    @cached_property
    def marks(self) -> dict[str, Any]:
        """Field name to its `Amount`, `Message` or `Source`."""
        hints = get_type_hints(self.model, include_extras=True)
        return {n: get_args(h)[1] for n, h in hints.items() if get_origin(h) is Annotated}

    @cached_property
    def amount(self) -> str | None:
        """Name of the amount field, if there is one."""
        return next((n for n, mark in self.marks.items() if isinstance(mark, Amount)), None)

    @cached_property
    def source(self) -> Source | None:
        """The mark of the field that carries a text which is the move, if there is one."""
        return next((mark for mark in self.marks.values() if isinstance(mark, Source)), None)

    @cached_property
    def whole(self) -> bool:
        """Whether its amounts, or the places in a library that stand for it, are whole numbers."""
        return self.source is not None or any(isinstance(m, Amount) and m.whole for m in self.marks.values())

    def numbers(self, grid: int) -> int:
        """How many moves of this kind can be told by a number, if amounts are taken from a grid of this size."""
        return len(self.source.library()) if self.source else grid if self.amount else 1

    @cached_property
    def message(self) -> str | None:
        """Name of the message field, if there is one."""
        return next((n for n, mark in self.marks.items() if isinstance(mark, Message)), None)
