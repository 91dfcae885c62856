"""Marks of the fields of a move: numbers, messages, and texts that are moves.

    class Order(NamedTuple):
        price: Annotated[float, Amount("dollars a unit")]
        quantity: Annotated[int, Count("units", 1, 4)]
        message: Annotated[str, Message("words to all")] = ""

A field annotated as a tuple is a group of numbers; its length follows from the rules' `bounds`.
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
"""Default maximum characters of a message."""


class Number:
    """Base class of marks of numeric fields.

    Attributes:
        doc: Meaning, with unit.
        is_integer: Whether only integers are legal.
        is_discrete: Whether the numeric face has one step per value regardless of the bounds; else it spreads a
            grid over the usual values.
        tokens: Most tokens of its name and a value.
        item_names: Names of the numbers of a group, if any; a group may be shorter.
        are_guards: Whether the (lower, upper) bound only guards against slips: prompts omit it so as not to
            suggest it, schemas and errors state it.
    """

    doc: str
    is_integer: bool = True
    is_discrete: ClassVar[bool] = True
    tokens: ClassVar[int] = 16
    item_names: tuple[str, ...] = ()
    are_guards: tuple[bool, bool] = (False, False)

    def describe_item(self, place: int) -> str:
        """Describe the number at an index of a group."""
        return f"{self.doc}: {self.item_names[place]}" if self.item_names else self.doc

    @property
    def unit(self) -> str:
        """Unit sign in front of values: ``$`` if `doc` is in dollars, else empty."""
        return "$" if self.doc.startswith("dollars") else ""

    def steps(self, grid: int, seats: int) -> int:
        """Number of values on the numeric face."""
        raise NotImplementedError

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """Value of a step of the numeric face."""
        return float(step)

    def widest_bounds(self, bounds: Bounds, seats: int) -> Bounds:
        """Range of values that can ever be legal, given the `bounds` at the start."""
        return self.value_at(0, bounds, 0), self.value_at(self.steps(0, seats) - 1, bounds, 0)

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        return int(value)

    def sample(self, usual: Bounds, rng: np.random.Generator) -> float:
        """Sample a value uniformly."""
        return float(rng.integers(int(usual[0]), int(usual[1]) + 1))

    def to_number(self, given: Any) -> float:
        """Convert a value of a typed move to a number of the rules."""
        return float(given)

    def from_number(self, number: float) -> Any:
        """Convert a number of the rules to a value of a typed move."""
        return int(number)

    def problem(self, key: str, given: Any, bounds: Bounds) -> Invalid | None:
        """Return why a value is invalid, or None."""
        return check_amount(key, given, bounds, self.is_integer)

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of values within these bounds."""
        low, high = int(bounds[0]), int(bounds[1])
        return {"type": "integer", "minimum": low, "maximum": high, "description": self.doc}

    def bounds_in(self, schema: Mapping[str, Any]) -> Bounds:
        """Read the bounds from a schema returned by `schema`."""
        return schema["minimum"], schema["maximum"]


@dataclass(frozen=True)
class Amount(Number):
    """Mark of an amount within the rules' `bounds`."""

    doc: str
    is_integer: bool = False
    is_discrete = False
    are_guards: tuple[bool, bool] = (False, False)

    def steps(self, grid: int, seats: int) -> int:
        """Size of the grid."""
        return grid

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """Value of a grid step, rounded half up to an integer if `is_integer`."""
        low, high = usual
        # The last step is the bound itself: a rounding error above it would make the move illegal.
        value = high if step == grid - 1 else low + step * (high - low) / (grid - 1)
        # Not round(), which rounds half to even: the compiled loops compute this.
        return float(math.floor(value + 0.5)) if self.is_integer else value

    def widest_bounds(self, bounds: Bounds, seats: int) -> Bounds:
        """Bounds at the start."""
        return bounds

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        """Step nearest to a value."""
        low, high = usual
        return round((min(max(value, low), high) - low) / ((high - low) or 1.0) * (grid - 1))  # bounds may coincide

    def sample(self, usual: Bounds, rng: np.random.Generator) -> float:
        """Sample an amount uniformly."""
        value = float(rng.uniform(*usual))
        return float(round(value)) if self.is_integer else value

    def from_number(self, number: float) -> Any:
        """Return the number unchanged."""
        return number

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of amounts within these bounds."""
        kind = "integer" if self.is_integer else "number"
        return {"type": kind, "minimum": bounds[0], "maximum": bounds[1], "description": self.doc}


@dataclass(frozen=True)
class Count(Number):
    """Mark of an integer count.

    Attributes:
        low: Smallest value that can ever be legal.
        high: Largest value that can ever be legal; the rules' `bounds` give the legal values now.
        item_names: See `Number`.
    """

    doc: str
    low: int
    high: int
    item_names: tuple[str, ...] = ()

    def steps(self, grid: int, seats: int) -> int:
        """Number of integers from `low` to `high`."""
        return self.high - self.low + 1

    def value_at(self, step: int, usual: Bounds, grid: int) -> float:
        """Number at a step."""
        return float(self.low + step)

    def nearest_step(self, value: float, usual: Bounds, grid: int) -> int:
        """Step of a number."""
        return int(value) - self.low


@dataclass(frozen=True)
class Seat(Number):
    """Mark of a seat index, from 0."""

    doc: str

    def steps(self, grid: int, seats: int) -> int:
        """Number of seats."""
        return seats


@dataclass(frozen=True)
class Choice(Number):
    """Mark of one of several options; the rules use its index.

    Attributes:
        options: Names of the options, in the order of the indices.
    """

    doc: str
    options: tuple[str, ...]

    def steps(self, grid: int, seats: int) -> int:
        """Number of options."""
        return len(self.options)

    def to_number(self, given: Any) -> float:
        """Index of an option."""
        return float(self.options.index(given))

    def from_number(self, number: float) -> Any:
        """Option at an index."""
        return self.options[int(number)]

    def possible_options(self, bounds: Bounds) -> tuple[str, ...]:
        """Options whose indices are within these bounds."""
        return self.options[int(bounds[0]) : int(bounds[1]) + 1]

    def problem(self, key: str, given: Any, bounds: Bounds) -> Invalid | None:
        """Return why an option is invalid, or None."""
        names = self.possible_options(bounds)
        if isinstance(given, str) and given in names:
            return None
        code = "out_of_range" if isinstance(given, str) else "wrong_type"
        return Invalid(code, f'"{key}" must be one of {", ".join(names)}; got {short_repr(given)}')

    def schema(self, bounds: Bounds) -> dict[str, Any]:
        """JSON schema of options within these bounds."""
        return {"type": "string", "enum": list(self.possible_options(bounds)), "description": self.doc}

    def bounds_in(self, schema: Mapping[str, Any]) -> Bounds:
        """Read the bounds from a schema returned by `schema`."""
        return self.to_number(schema["enum"][0]), self.to_number(schema["enum"][-1])


@dataclass(frozen=True)
class Message:
    """Mark of a message.

    Attributes:
        doc: Meaning.
        max_length: Maximum characters.
        recipients: Fields of the same move with the receiving seats; empty: all seats.
    """

    doc: str
    max_length: int = MAX_MESSAGE
    recipients: tuple[str, ...] = ()

    @staticmethod
    def count_tokens(length: int) -> int:
        """Estimate the tokens of `length` characters: 0.4 per character, which most languages stay below."""
        return 2 * length // 5


@dataclass(frozen=True)
class Source:
    """Mark of the only field of a move that is a text, such as source code.

    Attributes:
        doc: Meaning.
        library: Function returning ready-made texts, which numeric moves refer to by index.
        problem: Function returning why a text is invalid, or None.
        find_in_reply: Function extracting the text from a free reply, or an `Invalid` if not exactly one is found.
        max_length: Maximum characters.
        language: Language tag of code fences.
        names: Function returning the names of the ready-made texts, in order.
        tokens: Most tokens of a reply with a text.
        find_in_cut_reply: Function extracting a text from a truncated reply if the text is complete, else None.
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
