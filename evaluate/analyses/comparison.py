"""A published table beside our own numbers: for each cell what the paper prints, what we have, and the difference."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.plurals import many
from econzoo.evaluate.show import console
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.escapes import in_latex
from econzoo.evaluate.show.numbers import NOTHING

HEADS = ("row", "cell", "paper", "ours", "difference", "games")
"""Columns of the table."""


class Cell(NamedTuple):
    """One number.

    Attributes:
        row: Of the paper's table.
        name: Column of the paper's table.
        paper: What the paper prints; NaN: it prints no number.
        ours: What we have.
        games: How many games or matches ours is made of.
        digits: After the point, as the paper prints it.
    """

    row: str
    name: str
    paper: float
    ours: float
    games: int
    digits: int = 2

    @property
    def printed(self) -> bool:
        """Whether the paper prints a number."""
        return not math.isnan(self.paper)

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded as the paper's, is the paper's; a half may be rounded either way."""
        return abs(self.ours - self.paper) <= 0.5 * 10**-self.digits + 1e-9

    def texts(self) -> tuple[str, ...]:
        """The cell as one row of a table, with the columns `HEADS`."""
        paper = f"{self.paper:.{self.digits}f}" if self.printed else NOTHING
        off = "" if self.agrees else f"{self.ours - self.paper:+.{self.digits}f}"
        difference = off if self.printed else NOTHING
        return self.row, self.name, paper, f"{self.ours:.{self.digits}f}", difference, str(self.games)


class Comparison(NamedTuple):
    """A published table beside ours.

    Attributes:
        title: What is compared with what.
        name: Of the files.
        cells: Row by row.
        notes: What a reader must know, in sentences.
    """

    title: str
    name: str
    cells: Sequence[Cell]
    notes: Sequence[str] = ()

    def counted(self) -> str:
        """How many cells agree."""
        printed = [cell for cell in self.cells if cell.printed]
        agree = sum(cell.agrees for cell in printed)
        rest = len(self.cells) - len(printed)
        told = f"; of {many(rest, 'other')} the paper prints no number" if rest else ""
        return f"{agree} of {many(len(printed), 'cell')} that the paper prints agree, as it rounds them{told}."

    def shown(self) -> Iterator[Any]:
        """For a terminal; an empty difference says that the numbers agree."""
        yield console.table(self.title, HEADS, [cell.texts() for cell in self.cells])
        yield self.counted()
        yield from self.notes

    def to_dict(self) -> dict[str, Any]:
        """For JSON; null where the paper prints nothing."""
        cells = [
            {**cell._asdict(), "paper": cell.paper if cell.printed else None, "agrees": cell.agrees and cell.printed}
            for cell in self.cells
        ]
        return {"title": self.title, "cells": cells, "notes": list(self.notes)}

    def write(self, folder: Path) -> list[Path]:
        """Writes the table as CSV and for the LaTeX package ``booktabs``; returns the files."""
        rows = [
            (cell.row, cell.name, cell.paper, cell.ours, cell.ours - cell.paper, cell.games, int(cell.agrees))
            for cell in self.cells
        ]
        table = write_csv(folder / f"{self.name}.csv", (*HEADS, "agrees"), rows)
        latex = folder / f"{self.name}.tex"
        latex.write_text(self._latex(), encoding="utf-8")
        return [table, latex]

    def _latex(self) -> str:
        lines = [" & ".join(map(in_latex, row)) + " \\\\" for row in (HEADS, *(cell.texts() for cell in self.cells))]
        notes = " ".join([self.title + ".", self.counted(), *self.notes])
        return "\n".join(
            [
                "% needs \\usepackage{booktabs}",
                "\\begin{table}",
                f"\\caption{{{in_latex(notes)}}}",
                "\\begin{tabular}{llrrrr}",
                "\\toprule",
                lines[0],
                "\\midrule",
                *lines[1:],
                "\\bottomrule",
                "\\end{tabular}",
                "\\end{table}",
                "",
            ]
        )


def tell(found: Comparison, out: Path | None, as_json: bool, before: Sequence[Any] = ()) -> None:
    """Prints a comparison, and writes it if there is a folder for it.

    Args:
        found: The comparison.
        out: The folder.
        as_json: For programs.
        before: What stands before the table for people.
    """
    files = found.write(out) if out else []
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
        return
    console.show(*before, *found.shown())
    print("".join(f"written: {file}\n" for file in files), end="")
