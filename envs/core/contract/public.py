"""Public parameters in views: a field of ``View`` says that it is one, and `observe` tells it without naming it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from econzoo.envs.core.contract.parameters import LaterParameter, OrNone, Real, declared_parameters

__all__ = ["PUBLIC", "Public", "bound_parameter", "fill_public_fields"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

Public = Annotated[T, "public"]
"""Type of a field of a ``View`` that is a parameter which every seat is told: ``money: Public[float]``.

``Params`` declares it with the same name and type; of a flag the view has an int, 0 or 1."""

PUBLIC: dict[str, Any] = {}
"""Stands for all such fields where `observe` makes a view: ``View(seat=seat, round=s.round, **PUBLIC)``."""


def bound_parameter(default: float, doc: str) -> LaterParameter:
    """The bound of amounts in moves, in multiples of what is at stake; matches from before it have none.

    Args:
        default: How many times.
        doc: What it bounds and what it is a multiple of, without a full stop.
    """
    return LaterParameter(
        "bound", default, OrNone(Real(2.0, 1000.0)), f"{doc}; None: no bound.", legacy_value=None, changes_seed=False
    )


def fill_public_fields(observe: F) -> F:
    """Puts the public parameters into the views that a function makes.

    The function is compiled anew, in its own file and lines, with all fields of ``View(..., **PUBLIC)`` by position and
    ``p.NAME`` for those that are `Public`: it is as fast, and for Numba as plain, as if it had been written so.

    Args:
        observe: ``observe(p: Params, s: State, seat: int) -> View`` of a module.

    Raises:
        TypeError: A `Public` field is no parameter that ``Params`` declares with this type, or the other fields are not
            all given, by name.
        OSError: It is no function of a module, or there is no source to read.
    """
    code, hints = cast("Any", observe).__code__, get_type_hints(observe)
    view, place = hints["return"], f"{observe.__module__}.{observe.__name__}()"
    told = _public_sources(code.co_varnames[0], hints[code.co_varnames[0]], view)
    others = [name for name in view._fields if name not in told]
    source = "".join(linecache.getlines(code.co_filename, observe.__globals__))
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    if observe.__name__ not in functions:
        raise OSError(f"{place} is no function of a module with source to read")
    function = functions[observe.__name__]
    function.decorator_list = []
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and any(word.arg is None for word in call.keywords):
            given = {word.arg: word.value for word in call.keywords if word.arg}
            if call.args or sorted(given) != sorted(others):
                raise TypeError(f"{place} must give View(..., **PUBLIC) by name {', '.join(others)} and nothing else")
            call.args = [given[name] if name in given else _argument(told[name], call) for name in view._fields]
            call.keywords = []
    made: dict[str, Any] = {}
    exec(compile(ast.Module([function], []), code.co_filename, "exec"), observe.__globals__, made)
    return cast("F", made[observe.__name__])


def _public_sources(p: str, params: type, view: type) -> dict[str, str]:
    """The fields of a view that are public, and the source of each."""
    known, own, told = {one.name for one in declared_parameters(params)}, get_type_hints(params), dict[str, str]()
    for name, kind in get_type_hints(view, include_extras=True).items():
        if "public" in getattr(kind, "__metadata__", ()):
            flag = own.get(name) is bool
            if name not in known or kind.__origin__ != (int if flag else own[name]):
                allowed = "a parameter that Params declares, with its type (of a flag: int)"
                raise TypeError(f"{view.__module__}: View.{name} is Public; allowed: {allowed}")
            told[name] = f"int({p}.{name})" if flag else f"{p}.{name}"
    return told


def _argument(source: str, call: ast.Call) -> ast.expr:
    """An argument in the place of a call."""
    made = ast.parse(source, mode="eval").body
    for node in ast.walk(made):
        ast.copy_location(node, call)
    return made
