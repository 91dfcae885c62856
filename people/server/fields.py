"""Fields of forms: options and parameters as they are declared, shown and read in the language of the pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core.contract.options import DeclaredOption
from econzoo.envs.core.contract.parameters import Domain, Flag, Integer, OneOf, OrNone, Real, Text
from econzoo.people.server.site import texts

EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})

MAX_NUMBER_LENGTH = 40
"""Characters of a number at most."""


class ShortText(Text):
    """A text of so many characters at most."""

    def __init__(self, longest: int) -> None:
        self.longest, self.allowed = longest, f"up to {longest} characters"

    def __call__(self, value: Any, /) -> str:
        """The text."""
        if len(text := super().__call__(value)) > self.longest:
            raise ValueError
        return text


class Field(NamedTuple):
    """An option or a parameter as a form asks for it.

    Attributes:
        name: Of the input.
        label: What it is called.
        doc: What it is.
        allowed: What is allowed, in words.
        value: As it is typed now.
        options: The only values, if they are few, and what they are called.
        mode: Of the keyboard that helps to type it; empty: any.
        longest: Characters that fit; 0: any number.
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
        """Of the input."""
        return self.name.replace(".", "-")


def domain_values(domain: Domain[Any]) -> Mapping[str, str]:
    """The only values of a domain; empty: there are too many to tell."""
    words = ("true", "false") if isinstance(domain, Flag) else domain.words if isinstance(domain, OneOf) else ()
    return {word: word for word in words}


class Fields:
    """Options of a form, and what was typed for them: nothing stands for the default, amounts may be written $5.

    Args:
        declared: The options.
        labels: Option to the text that it is called by, in the order of the form; the others are not in it.
        typed: What was typed, by the name of the input.
        defaults: What stands in the inputs at first, by option; in the others nothing.
        prefix: Beginning of the names of the inputs.
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
        """What is typed for an option now."""
        usual = self._defaults.get(name, "")
        at_first = usual if isinstance(usual, str) else texts().localize_numbers(f"{usual:.12g}")
        return self._typed.get(f"{self._prefix}{name}", at_first).replace("\r", "").strip()

    def __getitem__(self, name: str) -> Field:
        option, domain = self._declared[name].option, self._domain(name)
        mode = "numeric" if isinstance(domain, Integer) else "decimal" if isinstance(domain, Real) else ""
        longest = domain.longest if isinstance(domain, ShortText) else 0
        told = texts().say(self._labels[name]), texts().phrase(option.meaning), self._describe_allowed(name)
        return Field(f"{self._prefix}{name}", *told, self.typed_text(name), domain_values(domain), mode, longest)

    def __iter__(self) -> Iterator[Field]:
        return (self[name] for name in self._labels)

    def _domain(self, name: str) -> Domain[Any]:
        domain = self._declared[name].option.domain or Text()
        return domain.domain if isinstance(domain, OrNone) else domain

    def _describe_allowed(self, name: str) -> str:
        allowed = texts().phrase(self._domain(name).value_range)
        must = self._declared[name].default is Parameter.empty
        return allowed if must else texts().say("choose.or_nothing", allowed=allowed)

    def value(self, name: str) -> Any:
        """What was typed for an option, in its plain form.

        Raises:
            ValueError: It is not allowed; the message names the option as the page does.
        """
        typed, domain, default = self.typed_text(name), self._domain(name), self._declared[name].default
        if not typed and default is not Parameter.empty:
            return default
        if isinstance(domain, Real):
            typed = typed.removeprefix("$")
        read = parse_number if isinstance(domain, Real | Integer) else str
        return parse_field(texts().say(self._labels[name]), typed, read, domain, self._describe_allowed(name))

    def values(self) -> dict[str, Any]:
        """Of all options; raises as `value` does."""
        return {name: self.value(name) for name in self._labels}


def parse_field(label: str, typed: str, parse: Callable[[str], Any], domain: Domain[Any], allowed: str) -> Any:
    """What was typed, in its plain form.

    Args:
        label: What the page calls it.
        typed: As it was typed.
        parse: Reads the value in it.
        domain: The values that are allowed.
        allowed: These in words.

    Raises:
        ValueError: It is not allowed.
    """
    try:
        return domain(parse(typed))
    except (TypeError, ValueError, OverflowError):
        said = texts().say("choose.wrong", label=label, typed=repr(typed[:40]), allowed=allowed)
        raise ValueError(said) from None


def parse_number(typed: str) -> float | str:
    """A number with the signs of the language, those of thousands only where they belong; other texts as they are."""
    thousands, decimal = texts().signs
    grouped = rf"(-?(?:\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+|\d+))({re.escape(decimal)}\d+)?"
    found = re.fullmatch(grouped, typed.strip())
    if found is None or len(found[0]) > MAX_NUMBER_LENGTH:
        return typed
    plain = found[0].replace(thousands, "").replace(decimal, ".")
    return float(plain) if found[2] else int(plain)


def parse_count(typed: str, default: int) -> int:
    """A number from 0 up as an address has it; another one where that is none."""
    return int(typed) if typed.isdecimal() and len(typed) < 10 else default
