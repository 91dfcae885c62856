"""Commands about GLEE's published data and metrics."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from econzoo.evaluate.commands.options import Json
from econzoo.evaluate.formats.glee.reading import Reading
from econzoo.evaluate.show.csv_files import write_csv, write_rows


class Definition(StrEnum):
    """Definitions of the metrics."""

    paper = "paper"
    glee_code = "glee-code"


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
    _tell(reading)
    print("\n".join(done.lines()))
    if done.undecided:
        raise typer.Exit(1)
    _end(reading)


def metrics(
    records: Annotated[Path, typer.Argument(metavar="FILE", help="File of records, or a folder with them.")],
    definition: Annotated[Definition, typer.Option(help="Whose metrics.")] = Definition.paper,
    table: Annotated[str, typer.Option("--csv", metavar="OUT", help="Where the table goes; -: standard output.")] = "-",
    clip: Annotated[bool, typer.Option("--clip", help="Cut efficiency and fairness to [0, 1].")] = False,
) -> None:
    """GLEE's metrics of every match: id, family, self-gains, efficiency, fairness; empty where not defined.

    Every match is replayed first. What does not replay as recorded is left out and told, and the exit code is 1.

    Example: econzoo metrics glee.jsonl --definition glee-code --csv metrics.csv
    """
    from econzoo.evaluate.formats.glee.metrics_table import Metrics, metrics_of
    from econzoo.evaluate.run.table import EnvPool

    reading, pool = Reading(records), EnvPool()
    found = reading.each(lambda record: metrics_of(record, definition.value, pool))
    rows = [row.clipped() if clip else row for row in found]
    if table == "-":
        write_rows(sys.stdout, Metrics._fields, rows)
    else:
        print(f"{len(rows)} matches are in {write_csv(table, Metrics._fields, rows)}")
    _tell(reading)
    _end(reading)


def _tell(reading: Reading) -> None:
    for line in reading.lines():
        print(line, file=sys.stderr)


def _end(reading: Reading) -> None:
    """Exit code 1 if something is missing in the result."""
    if not reading.complete:
        raise typer.Exit(1)
