"""``econzoo export``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.core.plurals import many


class Format(StrEnum):
    """Formats of the tables."""

    csv = "csv"
    parquet = "parquet"
    stata = "stata"


def export(
    records: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of records, or a file of them; of any games.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the tables go; those that are there are replaced.")],
    to: Annotated[Format, typer.Option(help="Format of the tables.")] = Format.csv,
    texts: Annotated[bool, typer.Option("--texts", help="Also the rules and prompts that were read.")] = False,
) -> None:
    """Write records as tidy tables with a codebook: a row a match, a row a seat of a match, a row an answer.

    What cannot be read is left out and told, and the exit code is 1.

    Examples: econzoo export runs/first --out tables | econzoo export glee.jsonl --to stata --out stata
    """
    if to is Format.stata:
        need("export --to stata", "pandas")
    if to is Format.parquet:
        need("export --to parquet", "pyarrow", extra="parquet")
    from econzoo.evaluate.analyses.tidy.exporting import export_folder

    done = export_folder(records, out, to.value, texts)
    print("\n".join(done.lines()))
    for line in done.left_out:
        print(f"left out: {line}", file=sys.stderr)
    if done.left_out:
        print(f"{many(len(done.left_out), 'line')} left out", file=sys.stderr)
        raise typer.Exit(1)
