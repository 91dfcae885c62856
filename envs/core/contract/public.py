"""Public parameters in views: fields of ``View`` marked `Public`, which `observe` fills automatically."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from econzoo.envs.core.contract.parameters import OrNone, Parameter, Real, declared_parameters

__all__ = ["PUBLIC", "Public", "bound_parameter", "fill_public_fields"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

Public = Annotated[T, "public"]
"""Type of a field of a ``View`` that is a parameter observed by every seat: ``money: Public[float]``.

``Params`` declares it with the same name and type; flags are ints, 0 or 1, in views."""

PUBLIC: dict[str, Any] = {}
"""Placeholder for all such fields in `observe`: ``View(seat=seat, round=s.round, **PUBLIC)``."""


def bound_parameter(default: float, doc: str) -> Parameter:
    """Return the parameter that bounds amounts in moves, in multiples of the stake.

    Args:
        default: Default multiple.
        doc: Description of the bounded amount and the stake, without a full stop.
    """
    return Parameter("bound", default, OrNone(Real(2.0, 1000.0)), f"{doc}; None: no bound.", in_seed="never")


def fill_public_fields(observe: F) -> F:
    """Decorator that fills the public parameters of the views returned by `observe`.

    The function is recompiled, with its own file and line numbers, with all fields of ``View(..., **PUBLIC)`` by
    position and ``p.NAME`` for `Public` ones: as fast, and as simple for Numba, as if written by hand.

    Args:
        observe: ``observe(p: Params, s: State, seat: int) -> View`` of a module.

    Raises:
        TypeError: ``Params`` does not declare a `Public` field with this type, or the other fields are not all passed
            by name.
        OSError: Not a module-level function, or its source is unavailable.
    """
    code, hints = cast("Any", observe).__code__, get_type_hints(observe)
    view, place = hints["return"], f"{observe.__module__}.{observe.__name__}()"
    sources = _public_sources(code.co_varnames[0], hints[code.co_varnames[0]], view)
    others = [name for name in view._fields if name not in sources]
    source = "".join(linecache.getlines(code.co_filename, observe.__globals__))
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    if observe.__name__ not in functions:
        raise OSError(f"{place} is not a module-level function with readable source")
    function = functions[observe.__name__]
    function.decorator_list = []
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and any(word.arg is None for word in call.keywords):
            given = {word.arg: word.value for word in call.keywords if word.arg}
            if call.args or sorted(given) != sorted(others):
                raise TypeError(f"{place} must call View(..., **PUBLIC) with exactly the keywords {', '.join(others)}")
            call.args = [given[name] if name in given else _argument(sources[name], call) for name in view._fields]
            call.keywords = []
    namespace: dict[str, Any] = {}
    exec(compile(ast.Module([function], []), code.co_filename, "exec"), observe.__globals__, namespace)
    return cast("F", namespace[observe.__name__])


def _public_sources(p: str, params: type, view: type) -> dict[str, str]:
    """Map the public fields of a view to their source code."""
    names, own, sources = {one.name for one in declared_parameters(params)}, get_type_hints(params), dict[str, str]()
    for name, kind in get_type_hints(view, include_extras=True).items():
        if "public" in getattr(kind, "__metadata__", ()):
            flag = own.get(name) is bool
            if name not in names or kind.__origin__ != (int if flag else own[name]):
                expected = "a parameter of the same name and type in Params (for flags: int)"
                raise TypeError(f"{view.__module__}: View.{name} is Public: expected {expected}")
            sources[name] = f"int({p}.{name})" if flag else f"{p}.{name}"
    return sources


def _argument(source: str, call: ast.Call) -> ast.expr:
    """Parse an argument, located at a call."""
    expression = ast.parse(source, mode="eval").body
    for node in ast.walk(expression):
        ast.copy_location(node, call)
    return expression
