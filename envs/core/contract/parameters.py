"""Declared parameters of a game: default, what is allowed, and a clear error for everything else."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Generic, Protocol, TypeVar, cast, get_type_hints

from econzoo.envs.core.contract.validation import short_repr, unknown_name

__all__ = [
    "CustomDomain", "Domain", "ListOf", "Flag", "Folder", "LaterParameter", "OneOf", "OrNone", "Parameter",
    "Real", "TupleOf", "Text", "Integer", "declared_parameters",
]  # fmt: skip

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_ROUNDS = 10_000
"""Rounds that a game may last."""

NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Domain(Protocol[T_co]):
    """The values that are allowed."""

    @property
    def value_range(self) -> str:
        """What is allowed, in words; completes "allowed: ..."."""

    def __call__(self, value: Any, /) -> T_co:
        """The value in its plain form, or a `TypeError` or `ValueError` (its text is not shown)."""


@dataclass(frozen=True)
class Parameter:
    """One public parameter.

    Attributes:
        name: Keyword of `econzoo.make`.
        default: Value when not given, in its plain form.
        domain: The values that are allowed.
        doc: One sentence, with the unit.
    """

    name: str
    default: Any
    domain: Domain[Any]
    doc: str

    @property
    def value_range(self) -> str:
        """What is allowed, in words."""
        return self.domain.value_range


@dataclass(frozen=True)
class LaterParameter(Parameter):
    """One that came into a game of which there were records already.

    Matches of these records stay what they are, and so do their ids: a record without the parameter means the value
    `legacy_value`, and the ids of matches with that value are made without it, whatever the default is or will be.

    Attributes:
        legacy_value: The value that all matches had before the parameter came in, in its plain form.
        changes_seed: Whether settings that differ in it alone have other random numbers.
    """

    legacy_value: Any
    changes_seed: bool = True


def declared_parameters(params: type) -> tuple[Parameter, ...]:
    """The public parameters that the rules know as they are, from the class of their ``Params``.

    A field is one if it is written ``name: Annotated[type, domain, doc] = default``; its plain form is then the number,
    or tuple of numbers, of the rules.

    Args:
        params: A NamedTuple class.
    """
    kind, hints = cast("Any", params), get_type_hints(params, include_extras=True)
    marks = {name: getattr(hints[name], "__metadata__", ()) for name in kind._fields}
    return tuple([Parameter(name, kind._field_defaults[name], *mark) for name, mark in marks.items() if mark])


class CheckedDomain:
    """Base of the domains."""

    value_range: str

    def __repr__(self) -> str:
        return f"<{self.value_range}>"


class Real(CheckedDomain):
    """A finite real number in [low, high] ((low, high] if `is_low_excluded`), as a float; booleans are no numbers."""

    def __init__(self, low: float = -math.inf, high: float = math.inf, is_low_excluded: bool = False) -> None:
        self.low, self.high, self.is_low_excluded = low, high, is_low_excluded
        bounds = _bounds(low, high, is_low_excluded)
        noun = "number" if bounds else "finite number"
        self.value_range, self.plural = f"a {noun}{bounds}", f"{noun}s{', each' if is_low_excluded else ''}{bounds}"

    def __call__(self, value: Any, /) -> float:
        """The number as a float."""
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError
        number = float(value)
        if (
            not math.isfinite(number)
            or not self.low <= number <= self.high
            or (self.is_low_excluded and number == self.low)
        ):
            raise ValueError
        return number


class Integer(CheckedDomain):
    """An integer in [low, high]; booleans are no numbers."""

    def __init__(self, low: int, high: float = math.inf) -> None:
        self.low, self.high = low, high
        self.plural = f"whole numbers{_bounds(low, high)}"
        self.value_range = f"a whole number{_bounds(low, high)}"

    def __call__(self, value: Any, /) -> int:
        """The number as an int."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError
        number = int(value)
        if not self.low <= number <= self.high:
            raise ValueError
        return number


class Flag(CheckedDomain):
    """True or False, also numpy's."""

    value_range = "True or False"

    def __call__(self, value: Any, /) -> bool:
        """The value as a bool."""
        if type(value).__name__ not in ("bool", "bool_"):
            raise TypeError
        return bool(value)


class OneOf(CheckedDomain):
    """One of several words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        names = [repr(word) for word in words]
        few = ", ".join((*names[:-2], " or ".join(names[-2:])))
        self.value_range = few if len(names) <= 3 else f"one of {', '.join(names)}"

    def __call__(self, value: Any, /) -> str:
        """The word."""
        if not isinstance(value, str):
            raise TypeError
        if value not in self.words:
            raise ValueError
        return value


class Text(CheckedDomain):
    """Any text; a path is taken for one."""

    value_range = "text"

    def __call__(self, value: Any, /) -> str:
        """The text."""
        if not isinstance(value, str | PurePath):
            raise TypeError
        return str(value)


class Folder(Text):
    """The path of a folder, whether it is there or not."""

    value_range = "a folder"

    def __call__(self, value: Any, /) -> Path:  # type: ignore[override]
        """The path."""
        return Path(super().__call__(value)).expanduser()


class ListOf(CheckedDomain):
    """Any number of values of a domain, as a list; one value alone stands for a list of it."""

    def __init__(self, domain: Domain[Any], min_length: int = 0) -> None:
        self.domain, self.min_length = domain, min_length
        self.value_range = f"{domain.value_range}{', at least one' if min_length else ''}"

    def __call__(self, value: Any, /) -> list[Any]:
        """The values in their plain form."""
        alone = isinstance(value, str | bytes) or not isinstance(value, Sequence)
        if not alone and len(value) < self.min_length:
            raise ValueError
        return [self.domain(item) for item in ([value] if alone else value)]


class TupleOf(CheckedDomain):
    """A sequence or an array of `length` values (from `min_length` to `length`, if given), as a tuple.

    Args:
        length: How many.
        each: What each of them may be.
        min_length: How many at least, if fewer than `length` will do.
    """

    def __init__(self, length: int, each: Real | Integer | TupleOf, min_length: int | None = None) -> None:
        self.length, self.each, self.min_length = length, each, length if min_length is None else min_length
        if self.min_length < length:
            count = f"{min_length} to {length}" if min_length else f"up to {length}"
        else:
            count = NUMBER_WORDS[length] if length < len(NUMBER_WORDS) else str(length)
        self.value_range: str = f"{count} {each.plural}"
        self.plural: str = f"lists of {self.value_range}"

    def __call__(self, value: Any, /) -> tuple[Any, ...]:
        """The values as a tuple."""
        return tuple(self.each(item) for item in check_sequence(value, self.min_length, self.length))


class OrNone(CheckedDomain):
    """A value of a domain, or None."""

    def __init__(self, domain: Domain[Any], meaning: str = "") -> None:
        self.domain = domain
        self.value_range = f"{domain.value_range}, or None" + (f" ({meaning})" if meaning else "")

    def __call__(self, value: Any, /) -> Any:
        """None, or the plain form of the domain."""
        return None if value is None else self.domain(value)


@dataclass(frozen=True)
class CustomDomain(CheckedDomain, Generic[T]):
    """A check with words of its own, which say more than bounds can."""

    check: Callable[[Any], T]
    value_range: str

    def __call__(self, value: Any, /) -> T:
        """What the check gives."""
        return self.check(value)


def check_sequence(value: Any, least: int, most: int) -> Any:
    """The value, if it is a sequence or an array of so many items; a text is none."""
    if isinstance(value, str | bytes) or (not isinstance(value, Sequence) and not hasattr(value, "__array__")):
        raise TypeError
    if not least <= len(value) <= most:
        raise ValueError
    return value


def _bounds(low: float, high: float, above: bool = False) -> str:
    """`` from 0 to 1``, `` >= 1``, `` above 0 and at most 1``; empty without bounds."""
    if above:
        return f" above {_format_number(low)}" + ("" if high == math.inf else f" and at most {_format_number(high)}")
    if high == math.inf:
        return "" if low == -math.inf else f" >= {_format_number(low)}"
    return f" from {_format_number(low)} to {_format_number(high)}"


def _format_number(number: float) -> str:
    """``10000``, ``0.01``, ``1e12``: seven digits, or more where these do not tell it exactly."""
    told = f"{number:.7g}".replace("e+0", "e").replace("e+", "e")
    return told if float(told) == number else str(number)


SEED = OrNone(CustomDomain(Integer(0, 2**128), "a whole number from 0 to 2**128"))


def check_seed(value: Any) -> int | None:
    """The seed of a `reset` as a plain integer, or None.

    Raises:
        ValueError: It is neither; the message names it and what is allowed.
    """
    return check_value("seed", value, SEED)


def check_options_mapping(value: Any, name: str = "options") -> Mapping[str, Any]:
    """The options of a `reset`, or the ones below that name; none if None.

    Raises:
        ValueError: They are no mapping.
    """
    if value is not None and not isinstance(value, Mapping):
        raise ValueError(f"{name}={short_repr(value)} is not allowed; allowed: a mapping from names to values, or None")
    return value or {}


def validate_parameters(owner: str, declared: Iterable[Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Fills in defaults and checks every value.

    Args:
        owner: Name of the game, for the message.
        declared: The parameters that exist.
        values: Values by name.

    Returns:
        All parameters by name, in plain form.

    Raises:
        ValueError: Names the parameter, its value and what is allowed.
    """
    known = {p.name: p for p in declared}
    for name in values:
        if name not in known:
            raise ValueError(f"{owner}: {unknown_name('parameter', name, known)}")
    return {name: check_value(f"{owner}: {name}", values.get(name, p.default), p.domain) for name, p in known.items()}


def complete_parameters(declared: Iterable[Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a record has them, with those that came into the game after it was written."""
    return {**values, **{name: value for name, value in _legacy_values(declared).items() if name not in values}}


def identifying_parameters(declared: Iterable[Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that ids are made from: all but later ones at the value that matches from before them had."""
    before = _legacy_values(declared)
    return {name: value for name, value in values.items() if name not in before or value != before[name]}


def _legacy_values(declared: Iterable[Parameter]) -> dict[str, Any]:
    """Later parameters and the values that matches from before them had, as JSON gives them back."""
    return {p.name: json.loads(json.dumps(p.legacy_value)) for p in declared if isinstance(p, LaterParameter)}


def check_value(name: str, value: Any, domain: Domain[T]) -> T:
    """A value in its plain form.

    Raises:
        ValueError: Names the value and what is allowed.
    """
    try:
        return domain(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={short_repr(value)} is not allowed; allowed: {domain.value_range}") from None
