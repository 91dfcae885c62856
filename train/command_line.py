"""From a dataclass of arguments to a command: one place says name, type, default and help of every option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from econzoo.envs.core.contract.validation import from_json


def command(arguments: type[Any], run: Callable[[Any], object]) -> Callable[..., None]:
    """The command that makes the arguments, runs with them and prints what comes back.

    Args:
        arguments: A dataclass whose fields are annotated with `typer.Argument` or `typer.Option`; the first
            paragraph of its docstring becomes the help text.
        run: Gets the arguments and returns what to print, for example the folder that it wrote.

    Returns:
        A function with one parameter per field, as `typer` takes it.
    """
    hints = get_type_hints(arguments, include_extras=True)

    def main(**given: Any) -> None:
        print(run(arguments(**given)))

    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(f.name, kind, default=_default(f), annotation=hints[f.name]) for f in fields(arguments)
    ]
    main.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    main.__annotations__ = hints
    main.__doc__ = (arguments.__doc__ or "").partition("\n\n")[0]
    return main


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return inspect.Parameter.empty if one.default is MISSING else one.default


def key_values(pairs: list[str]) -> dict[str, Any]:
    """``["money=100", "delta=[0.9,0.8]"]`` as a dictionary; values are JSON, or text where they are none.

    Raises:
        ValueError: A pair has no equals sign, or no name before it.
    """
    out = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"parameter {pair!r} is not allowed; allowed: NAME=VALUE, for example money=100")
        try:
            out[name.strip()] = from_json(text)
        except ValueError:
            out[name.strip()] = text
    return out
