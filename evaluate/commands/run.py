"""``econzoo run``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_origin

import typer

from econzoo.envs.command_line import SOFTWARE, given_options, write_options
from econzoo.envs.core import escape_name, format_count, games, read_text, reason
from econzoo.envs.core.contract import DeclaredOption, Flag, Integer, Option, OrNone, check_option_values, clean
from econzoo.envs.core.contract import declared_options, parse_toml, short_repr
from econzoo.evaluate.analyses import analysis, analyze
from econzoo.evaluate.commands.analyze import add_options
from econzoo.evaluate.run import Concurrent, EngineOptions, NoneEndedError, Records, add_budget_options
from econzoo.evaluate.run import check_output_folder, check_run, open_engine, parse_shard, play_missing, read_records
from econzoo.evaluate.run import recorded_ids
from econzoo.evaluate.suites import SUITES, Suite, SuiteRequest, suite

TARGET = "run"
"""Key of the game or suite in a file of options."""


@dataclass
class Output(EngineOptions):
    """Options of execution and output."""

    out: Annotated[str | None, Option(meaning="Output folder; an interrupted run resumes.", default="runs/NAME")] = None
    jobs: Annotated[int | None, Option(OrNone(Integer(1, 256)), "Processes for scripted players.")] = None
    concurrent: Concurrent = None
    shard: Annotated[str, Option(meaning="Shard I/N of the matches, from 0/N to N-1/N.")] = "0/1"
    no_turns: Annotated[
        bool,
        Option(Flag(), "Leave the turns of compiled matches out of the records: seed and players make them again."),
    ] = False
    json: Annotated[bool, Option(Flag(), "Print all numbers as JSON.")] = False


def command_for(args: Sequence[str]) -> Callable[..., None]:
    """Build the command with the options of the named suite."""
    name = args[0] if args and not args[0].startswith("-") else ""
    saved = _read_options(Path(name)) if name.endswith(".toml") else {}
    target = saved.pop(TARGET, name)
    of_suite = declared_options(suite(target)) if target else []
    of_request, of_output = declared_options(SuiteRequest), declared_options(Output)
    declared = [*of_request, *of_suite, *of_output]
    saved = {key: _check_option(name, key, value, declared) for key, value in saved.items()}

    def command(
        ctx: typer.Context,
        what: Annotated[
            str, typer.Argument(metavar="GAME|SUITE|FILE", help="Game, suite, or config.toml of another run.")
        ],
        **given: Any,
    ) -> None:
        if not target:
            raise typer.BadParameter(f"the game or suite must come first: {what} OPTIONS")
        # Options on the command line override those of the file.
        values = {**saved, **given_options(ctx, given, declared)}
        parts = [
            check_option_values(target, kind, {one.name: values[one.name] for one in own if one.name in values})
            for kind, own in ((SuiteRequest, of_request), (suite(target), of_suite), (Output, of_output))
        ]
        request, output = SuiteRequest(**parts[0]), Output(**parts[2])
        folder = Path(output.out or f"runs/{target}")
        planned = suite(target)(request, **parts[1])
        with open_engine(output.engine, output.ray_address):
            try:
                play(planned, folder, output, {TARGET: target, **parts[0], **parts[1]})
            except NoneEndedError:
                # The error of one design comes last: the results of the others, or of earlier runs, are shown first.
                if any(recorded_ids(folder / name) for name in planned.designs):
                    print_results(planned, folder, output)
                raise
            print_results(planned, folder, output)

    return add_budget_options(add_options(command, declared, _help(target)), plays=True)


def _read_options(path: Path) -> dict[str, Any]:
    """Read the options of another run."""
    try:
        given = parse_toml(read_text(path))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {reason(error)}") from None
    if TARGET not in given:
        raise ValueError(f"{path} is not from a run: missing {TARGET} = GAME or SUITE")
    return {name: value for name, value in given.items() if name != SOFTWARE}


def _check_option(path: str, name: str, value: Any, declared: Sequence[DeclaredOption]) -> Any:
    """Return the value of an option in a file, with a single value of a list option as a list."""
    found = {one.name: one for one in declared}
    if name not in found:
        raise ValueError(f"{path}: unknown option {short_repr(name)}: expected {', '.join(found)}")
    several, values = get_origin(found[name].hint) is list, value if isinstance(value, list) else [value]
    texts = all(isinstance(one, str) for one in values) and (several or values == [value])
    if found[name].option.domain is None and not texts:
        raise ValueError(f"{path}: invalid {name}={short_repr(value)}: expected text")
    return values if several else value


def play(made: Suite, folder: Path, output: Output, options: Mapping[str, Any]) -> None:
    """Check all designs, play their missing matches, and write the options."""
    check_output_folder(folder)
    parse_shard(output.shard)
    if made.page is None and made.analysis:
        analysis(made.analysis)  # fails early if a library is missing
    libraries: set[str] = set()
    for name, design in made.designs.items():
        cast = check_run(design, folder / name)
        libraries |= {library for spec in design.names() for library in cast(spec).libraries}
    for line in made.lines:
        print(clean(line), file=sys.stderr if output.json else sys.stdout)
    if not made.designs:
        return
    try:
        play_missing(
            dict(made.designs), folder, output.jobs, output.shard, output.concurrent, made.unit, not output.no_turns
        )
    finally:
        if folder.is_dir():  # also after an error, if matches were played
            write_options(folder, options, libraries)


def print_results(made: Suite, folder: Path, output: Output) -> None:
    """Print the results of a suite and the location of its records."""
    if made.page is not None:
        page = made.page(folder, output.jobs)
    elif not made.analysis:
        return
    else:
        records = read_records(folder) if made.designs and made.takes_records else Records([], folder)
        page = analyze(records, made.analysis, **made.options)
    if output.json:
        print(page.to_json())
        return
    page.show()
    if made.designs:
        planned = sum(map(len, made.designs.values()))
        count = sum(len(recorded_ids(folder / name)) for name in made.designs)
        print(f"\nRecords: {escape_name(folder)}, {count:,} of {format_count(planned, 'match')}")
        options = "".join(_command_line_options(made.options))
        print(f"Page and files: econzoo analyze {escape_name(folder)} {made.analysis}{options}")
        if len({design.game for design in made.designs.values()}) > 1:
            print(f"All games, errors and costs: econzoo analyze {escape_name(folder)}")


def _command_line_options(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the given options as command-line text."""
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value] if value else []:
            yield f" --{name.replace('_', '-')}" + ("" if one is True else f" {quote(str(one))}")


def _help(target: str) -> str:
    if target:
        line = SUITES[target][1] if target in SUITES else f"Play matches of {target} and show the results."
        return f"{line}\n\nExample: econzoo run {target} --out runs/{target}"
    lines = "\n\n".join(f"{name}: {line}" for name, (_, line) in SUITES.items())
    return (
        "Play a game or a published suite and show the results; an interrupted run resumes.\n\n"
        f"Games: {', '.join(games())}\n\n{lines}\n\n"
        "Examples: econzoo run bargaining spe fair --seeds 20 --out runs/first | "
        "econzoo run bargaining hf:smollm2 --pool standard | econzoo run runs/first/config.toml"
    )
