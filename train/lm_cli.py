"""From a dataclass of arguments to a command: one place says name, type, default and help of every option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_type_hints

Run = Callable[[Any], Path]


def command(arguments: type, run: Run) -> Callable[..., None]:
    """The command that builds `arguments` and runs `run` with them.

    Args:
        arguments: A dataclass whose fields are annotated with `typer.Argument` or `typer.Option`; its docstring
            becomes the help text.
        run: Gets the arguments and returns the folder that it wrote.
    """
    hints = get_type_hints(arguments, include_extras=True)

    def main(**given: Any) -> None:
        print(run(arguments(**given)))

    parameters = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=_default(f), annotation=hints[f.name])
        for f in fields(arguments)
    ]
    main.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    main.__annotations__ = hints
    main.__doc__ = (arguments.__doc__ or "").partition("\n\nAttributes:")[0]
    return main


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default


def key_values(pairs: list[str]) -> dict[str, Any]:
    """``["money=100", "delta=[0.9,0.8]"]`` as a dictionary; values are JSON, or text where they are none.

    Raises:
        ValueError: A pair has no equals sign.
    """
    import json

    out = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"parameter {pair!r} is not allowed; allowed: NAME=VALUE, for example money=100")
        try:
            out[name.strip()] = json.loads(text)
        except ValueError:
            out[name.strip()] = text
    return out
