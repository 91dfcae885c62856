"""``econzoo analyze``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import number_of, parameter_of
from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import DeclaredOption, declared_options
from econzoo.evaluate.analyses import ANALYSES, DEFAULT_ANALYSIS, analysis, analyze, records_for
from econzoo.evaluate.run import SOME, add_budget_options, check_output_folder, count_previous_costs
from econzoo.evaluate.show import FORMATS, write_and_show

Formats = Annotated[
    list[str],
    typer.Option("--format", metavar="NAME", help=f"File format (repeatable): {', '.join(FORMATS)}. Default: all."),
]


def command_for(args: Sequence[str]) -> Callable[..., None]:
    """Build the command with the options of the named analyses."""
    require_libraries("analyze", "pandas", "scipy", "matplotlib", "jinja2")
    # typer has to know the options before it parses the arguments, so the analyses are found among all of them.
    names = [arg for arg in args if arg in ANALYSES] or [DEFAULT_ANALYSIS]
    declared = {one.name: one for name in names if name in ANALYSES for one in declared_options(analysis(name))}

    def command(
        folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder or file of records.")],
        names: Annotated[
            list[str] | None, typer.Argument(metavar="[NAME]...", help=f"Analyses. Default: {DEFAULT_ANALYSIS}.")
        ] = None,
        out: Annotated[Path | None, typer.Option(metavar="DIR", help="Output folder. Default: FOLDER.")] = None,
        formats: Formats = [],  # noqa: B006  typer's own default
        as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
        **given: Any,
    ) -> None:
        write_analyses(folder, names or [DEFAULT_ANALYSIS], out, formats or FORMATS, as_json, declared, given)

    return add_budget_options(add_options(command, declared.values(), _help(names)))


def add_options(command: Callable[..., None], declared: Any, text: str) -> Callable[..., None]:
    """Add declared options to a command, which receives them as ``**given``."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    # Keyword-only, as parameters without a default may follow others.
    own = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    parameters = [*own, *map(parameter_of, declared)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = text
    return command


def _help(names: Sequence[str]) -> str:
    """Help text: one line for each named analysis, or for all."""
    listed = ANALYSES if names == [DEFAULT_ANALYSIS] else names
    lines = "\n\n".join(f"{name}: {ANALYSES[name][1]}" for name in listed)
    return (
        "Analyze recorded matches: tables, figures and one HTML page per analysis.\n\n"
        f"{lines}\n\nExamples: econzoo analyze runs/first | econzoo analyze runs/first behaviour --json"
    )


def write_analyses(
    folder: Path,
    names: Sequence[str],
    out: Path | None,
    formats: Sequence[str],
    as_json: bool,
    declared: dict[str, DeclaredOption],
    given: dict[str, Any],
) -> None:
    """Run analyses, write their pages and files, and print their tables."""
    # Ahead of the analyses, which may take long.
    for form in formats:
        if form not in FORMATS:
            raise ValueError(f"invalid format={form!r}: expected {', '.join(FORMATS)}")
    if out is not None:
        check_output_folder(out)
    values = {name: number_of(given[name], declared[name].hint) for name in given if given[name] is not None}
    texts = [text for value in values.values() for text in (value if isinstance(value, list) else [value])]
    count_previous_costs(None, [text for text in texts if isinstance(text, str)])  # some may be specs of models
    records = records_for(names, folder, bool(values.get("beside")), values.get("replay", SOME))
    for name in names:
        own = {one.name for one in declared_options(analysis(name))}
        page = analyze(records, name, **{key: value for key, value in values.items() if key in own})
        write_and_show(page, out or records.place, as_json, formats)
