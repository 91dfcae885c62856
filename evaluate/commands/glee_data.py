"""Commands about GLEE's published data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from econzoo.evaluate.commands.options import Json
from econzoo.evaluate.formats.glee.reading import Reading

Names = Annotated[
    Path | None,
    typer.Option(metavar="TABLE", help="What was decided about words that may be names; default: beside FILE."),
]
KeepNames = Annotated[bool, typer.Option("--keep-names", help="Leave names of people in messages.")]


def import_glee(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Searched for config.json and game.csv.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File of records; games that it has are not added again.")],
    scrub: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="First name to take out of messages, besides those that are found."),
    ] = None,
    names: Names = None,
    keep_names: KeepNames = False,
    as_json: Json = False,
) -> None:
    """Turn GLEE's published games into records, each checked against our rules; what does not pass is listed.

    Words that may be names of people are written into a table; a game waits until all of its own have a decision
    there. The exit code is 1 if a game waits, or if none passes.

    Example: econzoo import-glee GLEE/Data --out glee.jsonl
    """
    from econzoo.evaluate.formats.glee.importing import import_folder

    done = import_folder(folder, out, scrub or (), keep_names, names)
    print(json.dumps(done.to_dict(), indent=2) if as_json else "\n".join(done.lines()))
    if done.undecided or not (done.added or done.already):
        raise typer.Exit(1)


def export_glee(
    records: Annotated[Path, typer.Argument(metavar="FILE", help="File of records, or a folder with them.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders FAMILY/ID go.")],
    deep: Annotated[bool, typer.Option("--deep", help="FAMILY/I/D/./ID, by the first three signs of the id.")] = False,
    names: Names = None,
    keep_names: KeepNames = False,
) -> None:
    """Write records as GLEE publishes games: a folder each, with config.json and game.csv.

    Imported games with people are written only if all words that may be names have a decision in the table.

    Example: econzoo export-glee glee.jsonl --out GLEE/Data/llm_vs_llm --deep
    """
    from econzoo.evaluate.formats.glee.exporting import export_records
    from econzoo.evaluate.formats.glee.name_decisions import Decisions, table_beside

    reading = Reading(records)
    decided = None if keep_names else Decisions(names or table_beside(records))
    done = export_records(reading.each(lambda record: record), out, deep, decided)
    done.unreadable = len(reading.left_out)
    for line in reading.lines():
        print(line, file=sys.stderr)
    print("\n".join(done.lines()))
    if done.undecided or not reading.complete:
        raise typer.Exit(1)
