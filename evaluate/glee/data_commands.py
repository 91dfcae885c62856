"""Commands about GLEE's published data and metrics."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on standard output.")]


class Definition(StrEnum):
    """Definitions of the metrics."""

    paper = "paper"
    glee_code = "glee-code"


def import_glee(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Searched for config.json and game.csv.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File of records; games that it has are not added again.")],
    scrub: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="First name to take out of messages, besides those that are found."),
    ] = None,
    keep_names: Annotated[bool, typer.Option("--keep-names", help="Leave first names in messages.")] = False,
    as_json: Json = False,
) -> None:
    """Turn GLEE's published games into records, each checked against our rules; what does not pass is listed.

    Example: econzoo import-glee GLEE/Data --out glee.jsonl
    """
    from econzoo.evaluate.glee.importing import import_folder

    done = import_folder(folder, out, scrub or (), keep_names)
    print(json.dumps(done.to_dict(), indent=2) if as_json else "\n".join(done.lines()))


def export_glee(
    records: Annotated[Path, typer.Argument(metavar="FILE", help="File of records, or a folder with them.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders FAMILY/ID go.")],
    deep: Annotated[bool, typer.Option("--deep", help="FAMILY/I/D/./ID, by the first three signs of the id.")] = False,
) -> None:
    """Write records as GLEE publishes games: a folder each, with config.json and game.csv.

    Example: econzoo export-glee glee.jsonl --out GLEE/Data/llm_vs_llm --deep
    """
    from econzoo.evaluate.folder import read_folder
    from econzoo.evaluate.glee.exporting import export_records

    found, bad = read_folder(records)
    _tell_unreadable(bad)
    print("\n".join(export_records(found, out, deep).lines()))


def metrics(
    records: Annotated[Path, typer.Argument(metavar="FILE", help="File of records, or a folder with them.")],
    definition: Annotated[Definition, typer.Option(help="Whose metrics.")] = Definition.paper,
    table: Annotated[str, typer.Option("--csv", metavar="OUT", help="Where the table goes; -: standard output.")] = "-",
    clip: Annotated[bool, typer.Option("--clip", help="Cut efficiency and fairness to [0, 1].")] = False,
) -> None:
    """GLEE's metrics of every match: id, family, self-gains, efficiency, fairness; empty where not defined.

    Example: econzoo metrics glee.jsonl --definition glee-code --csv metrics.csv
    """
    from econzoo.evaluate.folder import read_folder
    from econzoo.evaluate.glee.metrics_table import metrics_rows, write_metrics

    found, bad = read_folder(records)
    _tell_unreadable(bad)
    rows = list(metrics_rows(found, definition.value, clip))
    if table == "-":
        write_metrics(rows, sys.stdout)
        return
    path = Path(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        count = write_metrics(rows, file)
    print(f"{count} matches are in {path}")


def _tell_unreadable(bad: object) -> None:
    for line in bad:  # type: ignore[attr-defined]
        print(f"left out: {line}", file=sys.stderr)
