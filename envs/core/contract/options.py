"""One way to say an option, for whatever takes some: an environment, a training, a command. It knows no game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any, NamedTuple, get_type_hints

from econzoo.envs.core.contract.parameters import Domain, check_value
from econzoo.envs.core.contract.validation import unknown_name

__all__ = ["DeclaredOption", "Option", "check_option_values", "check_options", "declared_options", "options_in"]


@dataclass(frozen=True)
class Option:
    """What is to be known of an option besides name, type and default, which its annotation stands beside.

    Attributes:
        domain: The values that are allowed; None: that depends on the game, and is checked when this is known.
        meaning: One sentence, the subject first, without the values that are allowed: its domain says these.
        recorded: Whether it matters for what happens in a match: then records keep it where it is set, and so do ids.
        legacy_value: Of one that came in when there were records already: the value that all matches had before, which
            stays out of records and ids, whatever the default is or will be. None: it was there from the start.
        panel: Heading in the help of a command.
        default: The default in words, where no one value says it.
        positional: Whether a command takes it by its place.
        letter: Its short form, such as ``"-p"``.
    """

    domain: Domain[Any] | None = None
    meaning: str = ""
    recorded: bool = False
    legacy_value: Any = None
    panel: str = ""
    default: str = ""
    positional: bool = False
    letter: str = ""


class DeclaredOption(NamedTuple):
    """An option with what stands beside it.

    Attributes:
        name: Of the parameter or field.
        hint: Its type.
        option: What is to be known of it.
        default: Its default; `inspect.Parameter.empty`: it must be given.
    """

    name: str
    hint: Any
    option: Option
    default: Any


def declared_options(target: Callable[..., Any]) -> list[DeclaredOption]:
    """The options of a function; or of a dataclass, with those that it inherits behind its own."""
    hints, options = _hints_of(target, False), options_in(target)
    if is_dataclass(target):
        defaults = {field.name: _field_default(field) for field in fields(target)}
        own = [name for one in target.__mro__ for name in vars(one).get("__annotations__", {})]  # type: ignore[attr-defined]
        names = [name for name in dict.fromkeys(own) if name in options]
    else:
        defaults = {name: one.default for name, one in signature(target).parameters.items()}
        names = list(options)
    return [DeclaredOption(name, hints[name], options[name], defaults[name]) for name in names]


@lru_cache(maxsize=512)
def _hints_of(target: Any, extras: bool) -> Mapping[str, Any]:
    """The annotations, which are text until they are evaluated: the work of a millisecond."""
    return get_type_hints(target, include_extras=extras)


def _field_default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return Parameter.empty if field.default is MISSING else field.default


def check_option_values(owner: str, target: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Options for a function in their plain form.

    Args:
        owner: What the function is called, for the message.
        target: The function.
        given: Values by name; the others have their defaults.

    Raises:
        ValueError: Names the option, its value and what is allowed.
    """
    options = options_in(target)
    for name in given:
        if name not in options:
            raise ValueError(f"{owner}: {unknown_name('option', name, options)}")
    domains = {name: options[name].domain for name in given}
    return {
        name: value if (domain := domains[name]) is None else check_value(f"{owner}: {name}", value, domain)
        for name, value in given.items()
    }


def options_in(kind: Any) -> dict[str, Option]:
    """The options that a class declares in the annotations of its fields, by name."""
    marks = ((name, getattr(hint, "__metadata__", ())) for name, hint in _hints_of(kind, True).items())
    return {name: mark for name, found in marks for mark in found if isinstance(mark, Option)}


def check_options(owner: Any) -> None:
    """Puts the fields of an object into their plain form.

    Raises:
        ValueError: Names the first that is not allowed, its value and what is.
    """
    for name, option in options_in(type(owner)).items():
        if option.domain is not None:
            setattr(owner, name, check_value(name, getattr(owner, name), option.domain))
