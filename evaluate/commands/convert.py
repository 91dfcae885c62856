"""``econzoo convert``."""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING, dataclass, field, fields, make_dataclass
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core.contract import Flag, ListOf, Option, Text, check_options, clean, declared_options, options_in
from econzoo.evaluate.formats import CONVERSIONS, convert, find_conversion
from econzoo.evaluate.show import show

SOURCES, RESULTS = (", ".join(dict.fromkeys(names)) for names in zip(*CONVERSIONS, strict=True))


@dataclass
class ConvertOptions:
    """Convert published games to records; records to tables, one file, GLEE's folders; a LoRA adapter to a model.

    ``--to hub`` uploads records, policies and models to the Hugging Face Hub.

    Raises:
        ValueError: An invalid value.
    """

    source: Annotated[
        list[str],
        Option(ListOf(Text(), 1), "Files or folders to read; several of records are merged.", positional=True),
    ]
    out: Annotated[str, Option(Text(), "File or folder to write, or Hub repository USER/NAME.", positional=True)]
    from_: Annotated[str, Option(Text(), f"Format of SOURCE: {SOURCES}.", default="detected")] = ""
    to: Annotated[str, Option(Text(), f"Format of OUT: {RESULTS}.", default="the only one for SOURCE")] = ""
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def options_with_formats() -> type[ConvertOptions]:
    """`ConvertOptions` extended by the options of all conversions."""
    own = {one.name: one for formats in CONVERSIONS for one in declared_options(find_conversion(formats))}
    names = {name: one for name, one in own.items() if name not in options_in(ConvertOptions)}
    marks = [(name, Annotated[one.hint, one.option], _field(one.default)) for name, one in names.items()]
    kind = make_dataclass("ConvertOptions", marks, bases=(ConvertOptions,))
    # The help text.
    kind.__doc__ = ConvertOptions.__doc__
    return kind


def _field(default: Any) -> Any:
    return field(default_factory=lambda: list(default)) if isinstance(default, list) else field(default=default)


def run(options: ConvertOptions) -> str:
    common = {one.name for one in fields(ConvertOptions)}
    values = {one.name: getattr(options, one.name) for one in fields(options) if one.name not in common}
    usual = {one.name: one.default if one.default is not MISSING else [] for one in fields(options)}
    # The command has the options of all conversions. Defaults are not passed on, so that the chosen one refuses only
    # options of others that were given.
    given = {name: value for name, value in values.items() if value != usual[name]}
    done = convert(options.source, options.out, options.from_, options.to, **given)
    for line in done.omissions:
        print(clean(line), file=sys.stderr)
    if not options.json:
        show(done.tables)
    report = json.dumps(done.data, indent=2, default=str) if options.json else "\n".join(done.lines)
    if not done.complete:
        print(clean(report))
        raise typer.Exit(1)
    return report


main = command(options_with_formats(), run)
