"""Declaration of options of environments, trainings and commands."""

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
    """Metadata of an option in its annotation, besides name, type and default.

    Attributes:
        domain: Domain of valid values; None: depends on the game and is checked once the game is known.
        meaning: One sentence, without the valid values, which the domain states.
        recorded: Whether it affects matches, so that records and ids include it where it is set.
        panel: Heading in the help.
        default: Description of the default, if it is not a single value.
        positional: Whether it is a positional argument of a command.
        letter: Short form, such as ``"-p"``.
    """

    domain: Domain[Any] | None = None
    meaning: str = ""
    recorded: bool = False
    panel: str = ""
    default: str = ""
    positional: bool = False
    letter: str = ""


class DeclaredOption(NamedTuple):
    """A declared option.

    Attributes:
        name: Name of the parameter or field.
        hint: Type.
        option: Metadata.
        default: Default; `inspect.Parameter.empty` if required.
    """

    name: str
    hint: Any
    option: Option
    default: Any


def declared_options(target: Callable[..., Any]) -> list[DeclaredOption]:
    """Return the options of a function or dataclass; inherited ones come last."""
    hints, options = _hints_of(target, False), options_in(target)
    if is_dataclass(target):
        defaults = {field.name: _field_default(field) for field in fields(target)}
        # Not in the order of `fields`, which lists inherited ones first.
        own = [name for one in target.__mro__ for name in vars(one).get("__annotations__", {})]  # type: ignore[attr-defined]
        names = [name for name in dict.fromkeys(own) if name in options]
    else:
        defaults = {name: one.default for name, one in signature(target).parameters.items()}
        names = list(options)
    return [DeclaredOption(name, hints[name], options[name], defaults[name]) for name in names]


@lru_cache(maxsize=512)
def _hints_of(target: Any, extras: bool) -> Mapping[str, Any]:
    """Evaluate annotations, cached because it takes a millisecond."""
    return get_type_hints(target, include_extras=extras)


def _field_default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return Parameter.empty if field.default is MISSING else field.default


def check_option_values(owner: str, target: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Validate options of a function; return them in plain form.

    Args:
        owner: Name of the function in error messages.
        target: Function that declares the options.
        given: Values by name; others take their defaults.

    Raises:
        ValueError: Unknown option or invalid value.
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
    """Return the options declared in the annotations of a class or function, by name."""
    marks = ((name, getattr(hint, "__metadata__", ())) for name, hint in _hints_of(kind, True).items())
    return {name: mark for name, found in marks for mark in found if isinstance(mark, Option)}


def check_options(owner: Any) -> None:
    """Validate the fields of an object and convert them to plain form.

    Raises:
        ValueError: A value is invalid.
    """
    for name, option in options_in(type(owner)).items():
        if option.domain is not None:
            setattr(owner, name, check_value(name, getattr(owner, name), option.domain))
