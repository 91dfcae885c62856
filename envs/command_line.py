"""Build commands from dataclasses that declare each option's name, type, default, domain and meaning once."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

from econzoo.envs.core import parse_yaml, read_text, reason, write_file
from econzoo.envs.core.contract import DeclaredOption, Flag, ListOf, Option, OrNone, Text, check_value, clean
from econzoo.envs.core.contract import declared_options, options_in, parse_json, parse_toml, short_repr
from econzoo.envs.core.record import Software, current_software, is_software, strip_secrets

T = TypeVar("T")

CONFIG = "config"
"""Option of every command: path of a file of options."""

CONFIG_FILE = "config.toml"
"""File name of a run's options, stored with its results."""

SOFTWARE = "software"
"""Table of a `CONFIG_FILE` with the software that made the results; no option."""


def command(kind: type[T], run: Callable[[T], object]) -> Callable[..., None]:
    """Return a command that builds an options object, calls `run` with it and prints the result.

    Args:
        kind: Dataclass whose fields are annotated with an `Option`. The first paragraph
            of its docstring and its examples become the help.
        run: Function of the options object; returns what to print, such as the output folder, or None.

    Returns:
        Function for `typer` with one parameter per option and ``--config``, a file of options
        that replace the defaults; options on the command line take precedence.
    """
    options = options_in(kind)
    panels = [*getattr(kind, "PANELS", ()), *(one.panel for one in options.values())]
    declared = sorted(declared_options(kind), key=lambda one: panels.index(one.option.panel))

    def main(ctx: typer.Context, **given: Any) -> None:
        path = given.pop(CONFIG)
        kept = {**(read_config(path, kind) if path else {}), **given_options(ctx, given, declared)}
        for one in declared:
            if one.name not in kept and one.default is inspect.Parameter.empty:
                ctx.fail(f"Missing argument '{one.name.upper()}'.")
        if said := run(kind(**kept)):
            print(clean(str(said)))

    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        *map(parameter_of, declared),
        inspect.Parameter(
            CONFIG,
            inspect.Parameter.KEYWORD_ONLY,
            default="",
            annotation=Annotated[
                str, typer.Option(help="TOML or YAML file with options; the command line overrides it.")
            ],
        ),
    ]
    # typer reads the options of a command from its signature and annotations.
    main.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    main.__annotations__ = {one.name: one.annotation for one in parameters}
    first, *others = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    main.__doc__ = "\n\n".join([first, *(one for one in others if one.startswith("Example"))])
    return main


def given_options(ctx: typer.Context, given: Mapping[str, Any], declared: Iterable[DeclaredOption]) -> dict[str, Any]:
    """Return the options given on the command line, with numbers parsed; omit defaults."""
    hints = {one.name: one.hint for one in declared}
    # Only what was typed: a default must not override the file of options.
    typed = [name for name in given if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    return {name: number_of(given[name], hints[name]) for name in typed if name in hints}


def parameter_of(declared: DeclaredOption) -> inspect.Parameter:
    """Return an option as a `typer` parameter; all but switches are text, so that its domain reports errors."""
    name, hint, option, default = declared
    several = get_origin(hint) is list
    switch = _value_type(hint) is bool
    kind: Any = bool | None if switch and hint is not bool else bool if switch else list[str] if several else str
    said = _option_help(option)
    panel = option.panel or None
    if option.positional:
        metavar = name.upper() + "..." * several
        mark: Any = typer.Argument(help=said, metavar=metavar, rich_help_panel=panel, show_default=False)
    else:
        flag = "--" + name.rstrip("_").replace("_", "-")
        names = [f"{flag}/--no-{flag[2:]}" if switch else flag, *[option.letter] * bool(option.letter)]
        wanted = {int: "INTEGER", float: "FLOAT", bool: None}.get(_value_type(hint), "TEXT")
        show = option.default or (not switch and default not in (None, "", []))
        mark = typer.Option(*names, help=said, rich_help_panel=panel, show_default=show, metavar=wanted)
    if several:
        shown: Any = [] if default is inspect.Parameter.empty else [str(one) for one in default]
    else:
        shown = default if switch else None if default in (inspect.Parameter.empty, None, "") else str(default)
    where = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, where, default=shown, annotation=Annotated[kind, mark])


def _option_help(option: Option) -> str:
    """Return the help text, with the value range where it adds to the type."""
    inner = option.domain.domain if isinstance(option.domain, ListOf | OrNone) else option.domain
    if inner is None or isinstance(inner, Flag | Text):
        return option.meaning
    return f"{option.meaning.removesuffix('.')}; {inner.value_range}."


def _value_type(hint: Any) -> Any:
    """Return the type of one value: int for ``list[int]`` and ``int | None``."""
    inner = [one for one in get_args(hint) if one is not type(None)]
    return inner[0] if inner and hint is not str else hint


def number_of(value: Any, hint: Any) -> Any:
    """Parse a number; return the text unchanged if it is none, for the domain to reject."""
    if isinstance(value, list | tuple):
        return [number_of(one, hint) for one in value]
    kind = _value_type(hint)
    if isinstance(value, str) and kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value


def read_config(path: str | Path, kind: type[Any]) -> dict[str, Any]:
    """Read options from a file.

    A single value stands for a list of one, and a table for a list of ``NAME=VALUE``.
    """
    what, hints, options = f"config={str(path)!r}", get_type_hints(kind), options_in(kind)
    try:
        text = read_text(Path(path).expanduser())
    except (OSError, ValueError) as error:
        raise ValueError(f"{what} cannot be read: {reason(error)}") from None
    try:
        given = parse_toml(text) if str(path).endswith(".toml") else parse_yaml(text, what)
    except ValueError as error:
        raise error if what in str(error) else ValueError(f"{what} is not TOML: {error}") from None
    if not isinstance(given, Mapping):
        raise ValueError(f"{what}: expected names with values, got {short_repr(given)}")
    out = {}
    for name, value in given.items():
        if name == SOFTWARE and is_software(value):
            continue
        if name not in options:
            raise ValueError(f"{what}: unknown option {short_repr(name)}: expected one of {', '.join(options)}")
        out[name] = number_of(_to_pairs(value, hints[name]), hints[name])
        if (domain := options[name].domain) is not None:
            out[name] = check_value(f"{what}: {name}", out[name], domain)
    return out


def _to_pairs(value: Any, hint: Any) -> Any:
    if hint == list[str] and isinstance(value, Mapping):
        return [f"{name}={json.dumps(one, default=str)}" for name, one in value.items()]
    return value


def write_config(folder: Path, config: Any, excluded: Iterable[str] = (), libraries: Iterable[str] = ()) -> Path:
    """Write an object's options to ``config.toml``, which ``--config`` reads."""
    options = {name: getattr(config, name) for name in options_in(type(config)) if name not in excluded}
    return write_options(folder, options, libraries)


def write_options(folder: Path, options: Mapping[str, Any], libraries: Iterable[str] = ()) -> Path:
    """Write options and software to ``config.toml`` in a folder, created if missing; None is omitted."""
    software = current_software(*sorted({*libraries}))
    tables = {f"\n[{SOFTWARE}]\n": software.of_package.to_plain(), f"\n[{SOFTWARE}.libraries]\n": software.libraries}
    text = _toml_lines(options) + "".join(head + _toml_lines(values) for head, values in tables.items() if values)
    return write_file(folder / CONFIG_FILE, text)


def read_software(folder: Path) -> Software | None:
    """Return the software in the ``config.toml`` of a folder; None if unrecorded or unreadable."""
    given: Any = None
    with suppress(OSError, ValueError):
        given = parse_toml(read_text(folder / CONFIG_FILE)).get(SOFTWARE)
    return Software(**given) if is_software(given) else None


def _toml_lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_toml_value(value)}\n" for name, value in values.items() if value is not None)


def _toml_value(value: Any) -> str:
    """Format a plain value as TOML: JSON, but for one control character."""
    return strip_secrets(json.dumps(value, ensure_ascii=False, default=str)).replace("\x7f", "\\u007f")


def key_values(pairs: Iterable[str]) -> dict[str, Any]:
    """Parse ``["money=100", "delta=[0.9,0.8]"]`` into a dictionary; values are JSON, else text."""
    out = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"invalid parameter {pair!r}: expected NAME=VALUE, for example money=100")
        try:
            out[name.strip()] = parse_json(text)
        except ValueError:
            out[name.strip()] = text
    return out
