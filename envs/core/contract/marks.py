"""What the fields of a move are marked with: numbers of several sorts, words, texts that are moves.

    class Order(NamedTuple):
        price: Annotated[float, Amount("dollars a unit")]
        quantity: Annotated[int, Count("units", 1, 4)]
        message: Annotated[str, Message("words to all")] = ""

A field annotated as a tuple is a group: as many numbers of its sort as the rules' `bounds` have for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from econzoo.envs.core.contract.moves import Bounds
from econzoo.envs.core.contract.validation import Invalid, check_amount, short_repr

MAX_MESSAGE = 500
"""Characters that a message may have."""


class Number:
    """Base of the marks of fields that carry a number.

    Attributes:
        doc: What it is, with its unit.
        is_integer: Whether only whole numbers can be played.
        is_discrete: Whether each value is a step of its own on the numeric face, whatever the bounds are now; else a
            grid is spread over the usual values.
        tokens: Of a language model, that its name and a value may take.
        item_names: What the numbers of a group are, in their order, if they have names; a group may be shorter.
        are_guards: Whether the least and the greatest value only guard against slips: prompts, which would suggest
            them, leave them out; schemas and errors name them.
    """

    doc: str
    is_integer: bool = True
    is_discrete: ClassVar[bool] = True
    tokens: ClassVar[int] = 16
    item_names: tuple[str, ...] = ()
    are_guards: tuple[bool, bool] = (False, False)

    def describe_item(self, place: int) -> str:
        """What the number in a place of a group is; the same in all places if they have no names."""
        return f"{self.doc}: {self.item_names[place]}" if self.item_names else self.doc

    @property
    def unit(self) -> str:
        """The sign before its values where people read them: ``$`` of a `doc` in dollars, else none."""
        return "$" if self.doc.startswith("dollars") else ""

    def steps(self, grid: int, seats: int) -> int:
        """How many values the numeric face has."""
        raise NotImplementedError

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """The value of a step of the numeric face."""
        return float(step)

    def widest_bounds(self, bounds: Bounds, seats: int) -> Bounds:
        """The values that can be legal at some time or other, of which `bounds` are those at the start."""
        return self.value_at(0, bounds, 0), self.value_at(self.steps(0, seats) - 1, bounds, 0)

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        """The step nearest to a value."""
        return int(value)

    def sample(self, usual: Bounds, rng: np.random.Generator) -> float:
        """A value at random, each as likely as any other."""
        return float(rng.integers(int(usual[0]), int(usual[1]) + 1))

    def to_number(self, given: Any) -> float:
        """A value of a typed move as the rules take it."""
        return float(given)

    def from_number(self, number: float) -> Any:
        """A number of the rules as it stands in a typed move."""
        return int(number)

    def problem(self, key: str, given: Any, bounds: Bounds) -> Invalid | None:
        """Why a value cannot be played, or None."""
        return check_amount(key, given, bounds, self.is_integer)

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of the values within these bounds."""
        low, high = int(bounds[0]), int(bounds[1])
        return {"type": "integer", "minimum": low, "maximum": high, "description": self.doc}

    def bounds_in(self, schema: Mapping[str, Any]) -> Bounds:
        """The bounds that a schema made by `schema` says."""
        return schema["minimum"], schema["maximum"]


@dataclass(frozen=True)
class Amount(Number):
    """Marks a field that carries an amount, anywhere within the rules' `bounds`."""

    doc: str
    is_integer: bool = False
    is_discrete = False
    are_guards: tuple[bool, bool] = (False, False)

    def steps(self, grid: int, seats: int) -> int:
        """Those of the grid."""
        return grid

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """The value of a step of the grid; the nearest whole number to it (upwards from a half) if `whole`."""
        low, high = usual
        value = high if step == grid - 1 else low + step * (high - low) / (grid - 1)
        return float(math.floor(value + 0.5)) if self.is_integer else value

    def widest_bounds(self, bounds: Bounds, seats: int) -> Bounds:
        """Those at the start."""
        return bounds

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        """The step nearest to a value."""
        low, high = usual
        return round((min(max(value, low), high) - low) / ((high - low) or 1.0) * (grid - 1))

    def sample(self, usual: Bounds, rng: np.random.Generator) -> float:
        """An amount at random, uniform over the range."""
        value = float(rng.uniform(*usual))
        return float(round(value)) if self.is_integer else value

    def from_number(self, number: float) -> Any:
        """The same."""
        return number

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of the amounts within these bounds."""
        kind = "integer" if self.is_integer else "number"
        return {"type": kind, "minimum": bounds[0], "maximum": bounds[1], "description": self.doc}


@dataclass(frozen=True)
class Count(Number):
    """Marks a field that counts something, in whole numbers.

    Attributes:
        low: Smallest number that can ever be legal.
        high: Largest number that can ever be legal; the rules' `bounds` say what is legal now.
        item_names: See `Number`.
    """

    doc: str
    low: int
    high: int
    item_names: tuple[str, ...] = ()

    def steps(self, grid: int, seats: int) -> int:
        """All from the smallest to the largest."""
        return self.high - self.low + 1

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """The number of a step."""
        return float(self.low + step)

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        """The step of a number."""
        return int(value) - self.low


@dataclass(frozen=True)
class Seat(Number):
    """Marks a field that names a seat, by its number from 0 on."""

    doc: str

    def steps(self, grid: int, seats: int) -> int:
        """One for each seat."""
        return seats


@dataclass(frozen=True)
class Choice(Number):
    """Marks a field that names one of several options; the rules get its place among them.

    Attributes:
        options: Their names.
    """

    doc: str
    options: tuple[str, ...]

    def steps(self, grid: int, seats: int) -> int:
        """One for each option."""
        return len(self.options)

    def to_number(self, given: Any) -> float:
        """The place of an option."""
        return float(self.options.index(given))

    def from_number(self, number: float) -> Any:
        """The option in a place."""
        return self.options[int(number)]

    def possible_options(self, bounds: Bounds) -> tuple[str, ...]:
        """The options whose places lie within these bounds."""
        return self.options[int(bounds[0]) : int(bounds[1]) + 1]

    def problem(self, key: str, given: Any, bounds: Bounds) -> Invalid | None:
        """Why an option cannot be chosen, or None."""
        names = self.possible_options(bounds)
        if isinstance(given, str) and given in names:
            return None
        code = "out_of_range" if isinstance(given, str) else "wrong_type"
        return Invalid(code, f'"{key}" must be one of {", ".join(names)}; got {short_repr(given)}')

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of the options within these bounds."""
        return {"type": "string", "enum": list(self.possible_options(bounds)), "description": self.doc}

    def bounds_in(self, schema: Mapping[str, Any]) -> Bounds:
        """The bounds that a schema made by `schema` says."""
        return self.to_number(schema["enum"][0]), self.to_number(schema["enum"][-1])


@dataclass(frozen=True)
class Message:
    """Marks the field that carries words.

    Attributes:
        doc: What they are.
        max_length: Characters that they may have.
        recipients: Fields of the same move that name the seats which hear them; none: all do.
    """

    doc: str
    max_length: int = MAX_MESSAGE
    recipients: tuple[str, ...] = ()

    @staticmethod
    def count_tokens(length: int) -> int:
        """Tokens of a language model that so many characters may take: two for five, some languages more, most less."""
        return 2 * length // 5


@dataclass(frozen=True)
class Source:
    """Marks the field that carries a text which is itself the move, such as the source of a program; it stands alone.

    Attributes:
        doc: What it is.
        library: Ready-made texts. Where moves are numbers, their places in it stand for them.
        problem: Why a text is no such move, or None.
        find_in_reply: The text in a free reply, or an `Invalid` if there is none or more than one.
        max_length: Characters that it may have.
        language: In which it is written, as code fences name it.
        names: What the ready-made texts are called, in their order.
        tokens: Of a language model, that a reply with a text may take.
        find_in_cut_reply: The text in a reply that was cut, where it is sure that the cut took nothing of it; else
            None.
    """

    doc: str
    library: Callable[[], Sequence[str]]
    problem: Callable[[str], Invalid | None]
    find_in_reply: Callable[[str], str | Invalid]
    max_length: int
    language: str = ""
    names: Callable[[], Iterable[str]] = tuple
    tokens: int = 3_000
    find_in_cut_reply: Callable[[str], str | None] | None = None
