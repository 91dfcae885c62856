"""Arguments of exported functions, checked against their annotations before anything else happens."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import islice
from numbers import Integral, Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from econzoo.envs.core.contract.validation import short_repr

__all__ = ["check_arguments"]

P = ParamSpec("P")
R = TypeVar("R")

NUMBERS: dict[Any, Any] = {int: Integral, float: Real}
"""NumPy's numbers are numbers too; True is none."""

SEVERAL = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

CHECKED_ITEMS = 100
"""Items of a list that are checked: a mistake shows in the first ones."""


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise one `ValueError` that names a wrong argument, what it is, and what is expected.

    A missing or unknown argument is a `TypeError`, with the call to use. Annotations whose names are not imported
    where the function is defined say nothing.
    """

    @wraps(function)
    def check_and_call(*args: P.args, **kwargs: P.kwargs) -> R:
        call, hints = _read_signature(function)
        try:
            given = call.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__name__}: {error}; expected {function.__name__}{_names(call)}") from None
        for name, value in given.items():
            if name in hints and value is not call.parameters[name].default and not _fits(value, hints[name]):
                expected = call.parameters[name].annotation
                raise ValueError(f"{function.__name__}: invalid {name}={short_repr(value)}: expected {expected}")
        return function(*args, **kwargs)

    return check_and_call


@cache
def _read_signature(function: Callable[..., Any]) -> tuple[Any, dict[str, Any]]:
    """Return the signature, and the types of parameters that take one value each, as far as they are known."""
    call, hints, known = signature(function), dict[str, Any](), function.__globals__
    for name, one in call.parameters.items():
        if one.kind not in SEVERAL and one.annotation is not Parameter.empty:
            try:
                hints[name] = eval(one.annotation, known) if isinstance(one.annotation, str) else one.annotation
            except NameError:
                continue
    return call, hints


def _names(call: Any) -> str:
    required = [
        name for name, one in call.parameters.items() if one.default is Parameter.empty and one.kind not in SEVERAL
    ]
    return f"({', '.join(required)}, ...)"


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value has a type, as far as its first items tell."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in args)
    if origin is Annotated:
        return _fits(value, args[0])
    if origin is Literal:
        return value in args
    if hint is None or hint is Any:
        return hint is Any or value is None
    kind = origin or hint
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool)
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if issubclass(kind, Mapping):
        pairs = islice(value.items(), CHECKED_ITEMS) if isinstance(value, Mapping) else ()
        return isinstance(value, Mapping) and (
            not args or all(_fits(key, args[0]) and _fits(one, args[-1]) for key, one in pairs)
        )
    if kind in (list, tuple, Sequence, Collection, Iterable):
        # A mapping gives its keys, and is no sequence.
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return False
        if isinstance(value, Mapping) and kind not in (Collection, Iterable):
            return False
        # An iterator would be used up; the parts of a pair have types of their own.
        has_items = isinstance(value, Collection) and args and (kind is not tuple or args[-1] is ...)
        return not has_items or all(_fits(one, args[0]) for one in islice(value, CHECKED_ITEMS))
    return isinstance(value, kind)
