"""Form fields of declared options and parameters, labelled and parsed in the language of the pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core.contract import DeclaredOption, Domain, Flag, Integer, OneOf, OrNone, Real, Text
from econzoo.people.server.site import texts

EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})

MAX_NUMBER_LENGTH = 40


class ShortText(Text):
    """A text of bounded length."""

    def __init__(self, longest: int) -> None:
        self.longest, self.value_range = longest, f"up to {longest} characters"

    def __call__(self, value: Any, /) -> str:
        """Return the text, or raise ValueError if it is too long."""
        if len(text := super().__call__(value)) > self.longest:
            raise ValueError
        return text


class Field(NamedTuple):
    """A form field of an option or a parameter.

    Attributes:
        options: Values to choose from, with their labels; empty: free text.
        mode: HTML ``inputmode``; empty: any.
        longest: Maximum length in characters; 0: unlimited.
    """

    name: str
    label: str
    doc: str
    allowed: str
    value: str
    options: Mapping[str, str] = EMPTY_MAPPING
    mode: str = ""
    longest: int = 0

    @property
    def id(self) -> str:
        """HTML id of the input."""
        return self.name.replace(".", "-")


def domain_values(domain: Domain[Any]) -> Mapping[str, str]:
    """Values of a finite domain; empty for others."""
    words = ("true", "false") if isinstance(domain, Flag) else domain.words if isinstance(domain, OneOf) else ()
    return {word: word for word in words}


class Fields:
    """Fields of a form with the submitted inputs: an empty input means the default, amounts may be written $5.

    Args:
        labels: Option name to label key, in form order; options without one are left out.
        defaults: Initial texts or values by option; empty for the others.
    """

    def __init__(
        self,
        declared: Iterable[DeclaredOption],
        labels: Mapping[str, str],
        typed: Mapping[str, str],
        defaults: Mapping[str, Any] = EMPTY_MAPPING,
        prefix: str = "",
    ) -> None:
        self._declared = {one.name: one for one in declared}
        self._labels, self._typed, self._defaults, self._prefix = labels, typed, defaults, prefix

    def typed_text(self, name: str) -> str:
        """Current text of an option's input."""
        default = self._defaults.get(name, "")
        # Twelve digits hide errors of binary fractions: 0.3, not 0.30000000000000004.
        initial = default if isinstance(default, str) else texts().localize_numbers(f"{default:.12g}")
        return self._typed.get(f"{self._prefix}{name}", initial).replace("\r", "").strip()  # browsers send CRLF

    def __getitem__(self, name: str) -> Field:
        option, domain = self._declared[name].option, self._domain(name)
        mode = "numeric" if isinstance(domain, Integer) else "decimal" if isinstance(domain, Real) else ""
        longest = domain.longest if isinstance(domain, ShortText) else 0
        about = texts().say(self._labels[name]), texts().phrase(option.meaning), self._describe_allowed(name)
        return Field(f"{self._prefix}{name}", *about, self.typed_text(name), domain_values(domain), mode, longest)

    def __iter__(self) -> Iterator[Field]:
        return (self[name] for name in self._labels)

    def _domain(self, name: str) -> Domain[Any]:
        domain = self._declared[name].option.domain or Text()
        return domain.domain if isinstance(domain, OrNone) else domain

    def _describe_allowed(self, name: str) -> str:
        allowed = texts().phrase(self._domain(name).value_range)
        is_required = self._declared[name].default is Parameter.empty
        return allowed if is_required else texts().say("choose.or_nothing", allowed=allowed)

    def value(self, name: str) -> Any:
        """Parse the input of an option; the ValueError of an invalid one uses the label of the page."""
        typed, domain, default = self.typed_text(name), self._domain(name), self._declared[name].default
        if not typed and default is not Parameter.empty:
            return default
        if isinstance(domain, Real):
            typed = typed.removeprefix("$")
        parse = parse_number if isinstance(domain, Real | Integer) else str
        return parse_field(texts().say(self._labels[name]), typed, parse, domain, self._describe_allowed(name))

    def values(self) -> dict[str, Any]:
        """Parse all options; raises as `value` does."""
        return {name: self.value(name) for name in self._labels}


def parse_field(label: str, typed: str, parse: Callable[[str], Any], domain: Domain[Any], allowed: str) -> Any:
    """Parse and check a submitted text; the ValueError of an invalid one names label and allowed values."""
    try:
        return domain(parse(typed))
    except (TypeError, ValueError, OverflowError):
        message = texts().say("choose.wrong", label=label, typed=repr(typed[:40]), allowed=allowed)
        raise ValueError(message) from None


def parse_number(typed: str) -> float | str:
    """Parse a number in the notation of the page's language; return any other text unchanged."""
    thousands, decimal = texts().signs
    grouped = rf"(-?(?:\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+|\d+))({re.escape(decimal)}\d+)?"
    match = re.fullmatch(grouped, typed.strip())
    # Other text is left to the domain, which refuses it with a message of its own.
    if match is None or len(match[0]) > MAX_NUMBER_LENGTH:
        return typed
    plain = match[0].replace(thousands, "").replace(decimal, ".")
    return float(plain) if match[2] else int(plain)


def parse_count(typed: str, default: int) -> int:
    """Parse a non-negative integer of a URL, or return the default."""
    # isdecimal, unlike isdigit, is true only for digits that int() reads.
    return int(typed) if typed.isdecimal() and len(typed) < 10 else default
