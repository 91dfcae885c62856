"""Game parameters: defaults, domains of valid values, and validation."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from string import ascii_uppercase
from typing import Any, Generic, Literal, Protocol, TypeVar, cast, get_type_hints

from econzoo.envs.core.contract.validation import invalid_value, short_repr, unknown_name

__all__ = [
    "CustomDomain", "Domain", "ListOf", "Flag", "Folder", "OneOf", "OrNone", "Parameter",
    "Real", "TupleOf", "Text", "Integer", "bound_parameter", "declared_parameters",
]  # fmt: skip

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_ROUNDS = 10_000
"""Maximum rounds of a game."""

NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Domain(Protocol[T_co]):
    """A set of valid values."""

    @property
    def value_range(self) -> str:
        """Description of the valid values; completes "expected ..."."""

    def __call__(self, value: Any, /) -> T_co:
        """Return the value in plain form, or raise `TypeError` or `ValueError` (text not shown)."""


@dataclass(frozen=True)
class Parameter:
    """A public parameter.

    Attributes:
        name: Keyword of `econzoo.make`.
        default: Default value in plain form.
        domain: Domain of valid values.
        doc: One sentence, with unit.
        in_seed: When the random numbers of a match depend on it: ``"always"``, ``"unless default"``, or ``"never"``,
            so that settings that differ in nothing else have common random numbers.
    """

    name: str
    default: Any
    domain: Domain[Any]
    doc: str
    in_seed: Literal["always", "unless default", "never"] = "always"

    @property
    def value_range(self) -> str:
        """Description of the valid values."""
        return self.domain.value_range


def declared_parameters(params: type) -> tuple[Parameter, ...]:
    """Return the public parameters that a ``Params`` class declares.

    A field is a public parameter if it is declared ``name: Annotated[type, domain, doc] = default``; its plain form is
    the number, or tuple of numbers, of the rules.

    Args:
        params: NamedTuple class.
    """
    kind, hints = cast("Any", params), get_type_hints(params, include_extras=True)
    marks = {name: getattr(hints[name], "__metadata__", ()) for name in kind._fields}
    return tuple([Parameter(name, kind._field_defaults[name], *mark) for name, mark in marks.items() if mark])


def bound_parameter(default: float, doc: str) -> Parameter:
    """Return the parameter that bounds amounts in moves, in multiples of the stake.

    Args:
        default: Default multiple.
        doc: Description of the bounded amount and the stake, without a full stop.
    """
    return Parameter("bound", default, OrNone(Real(2.0, 1000.0)), f"{doc}; None: no bound.", in_seed="never")


class CheckedDomain:
    """Base class of domains."""

    value_range: str

    def __repr__(self) -> str:
        return f"<{self.value_range}>"


class Real(CheckedDomain):
    """Finite real numbers in [low, high] ((low, high] if `is_low_excluded`), excluding booleans."""

    def __init__(self, low: float = -math.inf, high: float = math.inf, is_low_excluded: bool = False) -> None:
        self.low, self.high, self.is_low_excluded = low, high, is_low_excluded
        bounds = _bounds(low, high, is_low_excluded)
        noun = "number" if bounds else "finite number"
        self.value_range, self.plural = f"a {noun}{bounds}", f"{noun}s{', each' if is_low_excluded else ''}{bounds}"

    def __call__(self, value: Any, /) -> float:
        """Return the number as a float."""
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
    """Integers in [low, high], excluding booleans."""

    def __init__(self, low: int, high: float = math.inf) -> None:
        self.low, self.high = low, high
        self.plural = f"integers{_bounds(low, high)}"
        self.value_range = f"an integer{_bounds(low, high)}"

    def __call__(self, value: Any, /) -> int:
        """Return the number as an int."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError
        number = int(value)
        if not self.low <= number <= self.high:
            raise ValueError
        return number


class Flag(CheckedDomain):
    """True or False, including numpy booleans."""

    value_range = "True or False"

    def __call__(self, value: Any, /) -> bool:
        # By name: the type of numpy is called bool_ before version 2, bool since. 0 and 1 are no flags.
        if type(value).__name__ not in ("bool", "bool_"):
            raise TypeError
        return bool(value)


class OneOf(CheckedDomain):
    """One of several strings."""

    def __init__(self, *words: str) -> None:
        self.words = words
        names = [repr(word) for word in words]
        few = ", ".join((*names[:-2], " or ".join(names[-2:])))
        self.value_range = few if len(names) <= 3 else f"one of {', '.join(names)}"

    def __call__(self, value: Any, /) -> str:
        if not isinstance(value, str):
            raise TypeError
        if value not in self.words:
            raise ValueError
        return value


class Text(CheckedDomain):
    """Any string or path."""

    value_range = "text"

    def __call__(self, value: Any, /) -> str:
        if not isinstance(value, str | PurePath):
            raise TypeError
        return str(value)


class Folder(Text):
    """Path of a folder, which need not exist."""

    value_range = "a folder"

    def __call__(self, value: Any, /) -> Path:  # type: ignore[override]
        return Path(super().__call__(value)).expanduser()


class ListOf(CheckedDomain):
    """List of values of a domain; a single value stands for a list of one."""

    def __init__(self, domain: Domain[Any], min_length: int = 0) -> None:
        self.domain, self.min_length = domain, min_length
        self.value_range = f"{domain.value_range}{', at least one' if min_length else ''}"

    def __call__(self, value: Any, /) -> list[Any]:
        """Return the values in plain form."""
        # Text is a sequence too, of characters.
        alone = isinstance(value, str | bytes) or not isinstance(value, Sequence)
        if not alone and len(value) < self.min_length:
            raise ValueError
        return [self.domain(item) for item in ([value] if alone else value)]


class TupleOf(CheckedDomain):
    """Tuple of `length` values (`min_length` to `length`, if given), from a sequence or array.

    Args:
        length: Maximum length.
        each: Domain of the values.
        min_length: Minimum length; None: `length`.
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
        return tuple(self.each(item) for item in check_sequence(value, self.min_length, self.length))


class OrNone(CheckedDomain):
    """A value of a domain, or None."""

    def __init__(self, domain: Domain[Any], meaning: str = "") -> None:
        self.domain = domain
        self.value_range = f"{domain.value_range}, or None" + (f" ({meaning})" if meaning else "")

    def __call__(self, value: Any, /) -> Any:
        """Return None or the value in plain form."""
        return None if value is None else self.domain(value)


@dataclass(frozen=True)
class CustomDomain(CheckedDomain, Generic[T]):
    """Domain given by a function and a description."""

    check: Callable[[Any], T]
    value_range: str

    def __call__(self, value: Any, /) -> T:
        """Return the result of the check."""
        return self.check(value)


def check_sequence(value: Any, least: int, most: int) -> Any:
    """Return the value if it is a sequence (not text) or array of `least` to `most` items."""
    # An array is no Sequence.
    if isinstance(value, str | bytes) or (not isinstance(value, Sequence) and not hasattr(value, "__array__")):
        raise TypeError
    if not least <= len(value) <= most:
        raise ValueError
    return value


def _bounds(low: float, high: float, above: bool = False) -> str:
    """Format `` from 0 to 1``, `` >= 1``, `` above 0 and at most 1``; empty without bounds."""
    if above:
        return f" above {_format_number(low)}" + ("" if high == math.inf else f" and at most {_format_number(high)}")
    if high == math.inf:
        return "" if low == -math.inf else f" >= {_format_number(low)}"
    return f" from {_format_number(low)} to {_format_number(high)}"


def _format_number(number: float) -> str:
    """Format ``10000``, ``0.01``, ``1e12``: seven digits, or more if inexact."""
    short = f"{number:.7g}".replace("e+0", "e").replace("e+", "e")
    return short if float(short) == number else str(number)


# Described as a power: the domain itself would print all 39 digits.
SEED = OrNone(CustomDomain(Integer(0, 2**128), "an integer from 0 to 2**128"))


def check_seed(value: Any) -> int | None:
    """Return the seed of a `reset` as an int, or None; raise `ValueError` if it is invalid."""
    return check_value("seed", value, SEED)


def validate_parameters(owner: str, declared: Iterable[Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters by name, in plain form, with defaults filled in; raise `ValueError` for an invalid one."""
    parameters = {p.name: p for p in declared}
    for name in values:
        if name not in parameters:
            raise ValueError(f"{owner}: {unknown_name('parameter', name, parameters)}")
    return {n: check_value(f"{owner}: {n}", values.get(n, p.default), p.domain) for n, p in parameters.items()}


def check_value(name: str, value: Any, domain: Domain[T]) -> T:
    """Return a value in plain form; raise `ValueError`, with the owner in front of the name, if it is invalid."""
    try:
        return domain(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(invalid_value(name, value, domain.value_range)) from None


# Symbols are letters: `econzoo.envs.core.contract.symbols.ALPHABET`.
_SYMBOL_COUNT = Integer(2, len(ascii_uppercase))


class Messages(Flag):
    """Domain of ``messages``: True (free text), False (none) or the number of symbols."""

    value_range = f"{Flag.value_range}, or the number of symbols, {_SYMBOL_COUNT.value_range}"

    def __call__(self, value: Any, /) -> bool | int:  # type: ignore[override]
        return super().__call__(value) if type(value).__name__ in ("bool", "bool_") else _SYMBOL_COUNT(value)


def check_argument(name: str, value: Any, domain: Domain[T]) -> T:
    """Return the value of an argument in plain form; raise `ValueError` if it is invalid."""
    try:
        return domain(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"invalid {name}={short_repr(value)}: expected {domain.value_range}") from None


def check_setting(params: Any, kind: type) -> Any:
    """Return `params` if it is a setting of this game, else raise `ValueError`."""
    if not isinstance(params, kind):
        raise ValueError(f"invalid params={short_repr(params)}: expected {kind.__module__}.{kind.__name__}")
    return params
