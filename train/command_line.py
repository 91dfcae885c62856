"""From a dataclass of arguments to a command: one place says name, type, default and help of every option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from itertools import product
from typing import Annotated, Any, get_type_hints

import typer

from econzoo.envs.core.contract.validation import from_json
from econzoo.train.config_file import read_config

CONFIG = "config"
"""Option of every command: a file of arguments."""


def command(arguments: type[Any], run: Callable[[Any], object]) -> Callable[..., None]:
    """The command that makes the arguments, runs with them and prints what comes back.

    Args:
        arguments: A dataclass whose fields are annotated with `typer.Argument` or `typer.Option`; the first
            paragraph of its docstring becomes the help text.
        run: Gets the arguments and returns what to print, for example the folder that it wrote.

    Returns:
        A function with one parameter per field, as `typer` takes it, and with ``--config``: a file whose arguments
        stand in place of the defaults, so that those of the command line win.
    """
    hints = get_type_hints(arguments, include_extras=True)
    hints[CONFIG] = Annotated[str, typer.Option(help="YAML file of these arguments by name; those given here win.")]

    def main(ctx: typer.Context, **given: Any) -> None:
        path = given.pop(CONFIG)
        said = {name for name in given if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"}
        kept = read_config(path, arguments) if path else {}
        print(run(arguments(**{**given, **{name: value for name, value in kept.items() if name not in said}})))

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        *(
            inspect.Parameter(f.name, keyword, default=_default(f), annotation=hints[f.name])
            for f in _own_first(arguments)
        ),
        inspect.Parameter(CONFIG, keyword, default="", annotation=hints[CONFIG]),
    ]
    main.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    main.__annotations__ = {**hints, "ctx": typer.Context}
    main.__doc__ = (arguments.__doc__ or "").partition("\n\n")[0]
    return main


def _own_first(arguments: type[Any]) -> list[Field[Any]]:
    """The fields, those that a dataclass inherits after its own."""
    ages = {
        name: age
        for age, one in reversed([*enumerate(arguments.__mro__)])
        for name in vars(one).get("__annotations__", {})
    }
    return sorted(fields(arguments), key=lambda field: ages[field.name])


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


def alternatives(pairs: list[str]) -> list[dict[str, Any]]:
    """As `key_values`, for every combination of the values of names that are given more than once."""
    values: dict[str, list[str]] = {}
    for pair in pairs:
        values.setdefault(pair.partition("=")[0].strip(), []).append(pair)
    return [key_values(list(chosen)) for chosen in product(*values.values())]
