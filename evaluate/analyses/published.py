"""A table that a paper prints beside our own numbers: for each cell what it prints, what we have, and the difference.

What papers print is data, one file a table in ``papers/``:

    title, source = "Table 2 of ...", "arXiv:..."
    player, games = "paper (GPT-4)", 10         # who played, and how many games each number is made of
    notes = ["..."]                             # what a reader must know
    digits = 1                                  # after the point, of our numbers that the paper does not print

    [cells]                                     # as they are printed, since that says how they were rounded
    scarce = { Alex = "0.1", "RSR end" = "0.83" }

    [recounted]                                 # not in the paper, but counted from its published data
    scarce = { "min. bid $" = "185.7" }
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from econzoo.envs.core.contract.validation import toml_of
from econzoo.envs.core.plurals import many
from econzoo.evaluate.show.parts import COUNT, HEADING, NOTE, TEXT, Cell, Column, Part, Table, Text

HOME = "econzoo.evaluate.analyses.papers"

COLUMNS = (
    Column("row", kind=TEXT),
    Column("cell", kind=TEXT),
    Column("paper"),
    Column("ours"),
    Column("difference", signed=True),
    Column("agrees", kind=TEXT, meaning="Agrees: ours, rounded as the paper rounds, is what it prints"),
    Column("games", kind=COUNT),
)


class Paper(NamedTuple):
    """A table of a paper; see the module for its file.

    Attributes:
        title: What it is called.
        source: Who published it where.
        player: Who played.
        games: How many each of its numbers is made of.
        cells: Row to column to what is printed.
        notes: What a reader must know, in sentences.
        recounted: The same as `cells`, not printed but counted from the paper's data.
        digits: After the point, of what the paper does not print.
    """

    title: str
    source: str
    player: str
    games: int
    cells: Mapping[str, Mapping[str, str]]
    notes: Sequence[str] = ()
    recounted: Mapping[str, Mapping[str, str]] = {}
    digits: int = 2


class Own(NamedTuple):
    """One of our numbers.

    Attributes:
        row: Of the paper's table.
        cell: Column of the paper's table.
        value: The number.
        games: How many games or matches it is made of.
    """

    row: str
    cell: str
    value: float
    games: int


@cache
def read_paper(name: str) -> Paper:
    """A table of a paper by the name of its file, without ending."""
    return Paper(**toml_of(HOME, f"{name}.toml"))


def agrees(printed: str, value: float) -> bool:
    """Whether a number, rounded as a printed one, is that; a half may be rounded either way."""
    return abs(value - float(printed)) <= 0.5 * 10 ** -digits_of(printed) + 1e-9


def digits_of(printed: str) -> int:
    """Digits after the point."""
    return len(printed.partition(".")[2])


def compare(key: str, paper: Paper, own: Iterable[Own], notes: Sequence[str] = ()) -> list[Part]:
    """A section with the table, how many cells agree, and notes.

    Args:
        key: Of the table.
        paper: What is printed.
        own: Our numbers, of rows and columns that the paper may lack.
        notes: Besides those of the paper, in sentences.
    """
    own = list(own)
    printed = [(paper.cells.get(one.row, {}).get(one.cell, ""), one.value) for one in own]
    rows = [_row(one, text, paper.digits) for one, (text, _) in zip(own, printed, strict=True)]
    known = [agrees(text, value) for text, value in printed if text]
    rest = f"; of {many(len(own) - len(known), 'other')} the paper prints no number" if len(known) < len(own) else ""
    counted = f"{sum(known)} of {many(len(known), 'cell')} that the paper prints agree, as it rounds them{rest}."
    said = [Text(note, NOTE) for note in (*paper.notes, *notes)]
    title = f"{paper.title} beside ours"
    table = Table(key, title, COLUMNS, rows, f"Paper: {paper.source}.")
    return [Text(title, HEADING), table, Text(counted), *said]


def _row(one: Own, printed: str, digits: int) -> list[object]:
    digits = digits_of(printed) if printed else digits
    paper = float(printed) if printed else None
    gap = None if paper is None else one.value - paper
    numbers = [Cell(value, digits=digits) for value in (paper, one.value, gap)]
    return [one.row, one.cell, *numbers, agrees(printed, one.value) if printed else None, one.games]
