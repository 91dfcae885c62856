"""Printed numbers of papers as data, beside ours.

One file per paper in ``papers/``:

    title, source = "ALYMPICS", "Mao et al. 2025, arXiv:2311.03220"

    [places.table-2]                            # a table, a figure, or sentences of the text
    title, kind = "Table 2", "table"
    player, games = "paper (GPT-4)", 10         # player, and number of games per printed number
    notes = ["..."]                             # notes for the reader
    digits = 1                                  # decimals of our numbers that the paper does not print
    columns = ["Alex", "RSR end"]               # columns of rows that are one text, as "0.1 0.83"; "-": not printed

    [places.table-2.cells]                      # exactly as printed, which shows the rounding
    scarce = { Alex = "0.1", "RSR end" = "0.83" }

    [places.table-2.recounted]                  # not in the paper, but computed from its published data
    scarce = { "min. bid $" = "185.7" }

    [places.table-2.reasons]                    # why a cell contradicts or is not identifiable, by row and column
    scarce = { "RSR end" = "..." }

A heat map printed in colours has, instead of cells, both ends of its printed scale and the level of each colour, from 0
to 255, in rows named like the columns; `econzoo.evaluate.analyses.verdicts` compares cells with ours:

    [places.figure-1.map]
    ends = ["-0.13", "0.09"]
    levels = { first = [235, 210], second = [223, 203] }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import load_package_toml
from econzoo.evaluate.analyses.verdicts import (
    INCOMPARABLE,
    MISSING,
    Verdict,
    find_verdict,
    half_unit,
    printed_number,
)
from econzoo.evaluate.stats.intervals import Interval

PAPERS_PACKAGE = "econzoo.evaluate.analyses.papers"

KINDS = ("table", "figure", "sentence")
"""Kinds of places where a paper prints numbers."""

UNPRINTED = "-"
"""Mark of an unprinted cell in a row of a paper's file."""


class Place(NamedTuple):
    """A table, figure or passage of a paper; see the module for its file.

    Attributes:
        title: Title, such as "Table 2".
        kind: One of `KINDS`.
        cells: Row to column to the printed number or word.
        player: Player in the paper.
        games: Games per printed number.
        notes: Notes for the reader, in sentences.
        recounted: As `cells`, but computed from the paper's data.
        digits: Decimals of numbers that the paper does not print.
        resolution: Maximum error of cells read from colours; None: half a unit of the last printed digit.
        reasons: Why a cell contradicts or is not identifiable, in sentences.
    """

    title: str
    kind: str
    cells: Mapping[str, Mapping[str, str]]
    player: str = ""
    games: int = 0
    notes: Sequence[str] = ()
    recounted: Mapping[str, Mapping[str, str]] = {}
    digits: int = 2
    resolution: float | None = None
    reasons: Mapping[str, Mapping[str, str]] = {}

    @property
    def size(self) -> int:
        """Number of printed cells."""
        return sum(map(len, self.cells.values()))


class Paper(NamedTuple):
    """The printed numbers of a paper.

    Attributes:
        title: Title of the paper, or name of its games.
        source: Citation.
        places: Its tables, figures and sentences by name, in its order.
    """

    title: str
    source: str
    places: Mapping[str, Place]


class OwnNumber(NamedTuple):
    """One of our numbers.

    Attributes:
        row: Row in the paper's place.
        cell: Column in the paper's place.
        value: An exact number, a word, or an estimate with its interval; None: the data do not identify it.
        games: Number of games or matches; 0: it follows from other printed numbers.
        reason: Why there is no verdict, or it contradicts; empty: see the paper's file.
        slack: Maximum error due to rounded inputs.
        printed_interval: The printed estimate with the paper's own 95% interval, if it is known.
        is_comparable: Whether it is about the same as the printed number: neither chosen here, nor a total of other
            games.
    """

    row: str
    cell: str
    value: float | str | Interval | None
    games: int = 0
    reason: str = ""
    slack: float = 0.0
    printed_interval: Interval | None = None
    is_comparable: bool = True


class Comparison(NamedTuple):
    """A place of a paper beside our numbers.

    Attributes:
        key: Key of its table.
        place: The printed numbers.
        numbers: Our numbers, also of rows and columns that the paper lacks.
        source: Their data, such as "the published games".
        notes: Notes besides those of the paper, in sentences.
        fitted: Number of parameters of ours that are fitted to the printed cells, such as a common level.
    """

    key: str
    place: Place
    numbers: Sequence[OwnNumber]
    source: str = "ours"
    notes: Sequence[str] = ()
    fitted: int = 0

    @property
    def printed_numbers(self) -> list[OwnNumber]:
        """Our numbers of printed cells."""
        return [one for one in self.numbers if self.printed_cell(one)]

    @property
    def freedom(self) -> int:
        """Degrees of freedom: compared cells less fitted parameters."""
        return len(self.printed_numbers) - self.fitted

    def printed_cell(self, one: OwnNumber) -> str:
        """Return the printed cell; empty if there is none."""
        return self.place.cells.get(one.row, {}).get(one.cell, "")

    def verdict(self, one: OwnNumber) -> Verdict:
        """Return the verdict on a printed cell; an empty one if the paper prints no such cell."""
        printed = self.printed_cell(one)
        if not printed:
            return Verdict("")
        if not one.is_comparable:
            return Verdict(INCOMPARABLE)
        return find_verdict(
            printed,
            one.value,
            slack=one.slack,
            resolution=self.place.resolution,
            printed_interval=one.printed_interval,
            freedom=self.freedom if self.fitted else 1,
        )

    def verdicts(self) -> Counter[str]:
        """Count the printed cells with each of `VERDICTS`."""
        counts = Counter(self.verdict(one).word for one in self.printed_numbers)
        counts[MISSING] = self.place.size - counts.total()
        return counts


@cache
def read_paper(name: str) -> Paper:
    """Read the printed numbers of a paper, by the name of its file without suffix."""
    given = load_package_toml(PAPERS_PACKAGE, f"{name}.toml")
    places = {key: _place(**one) for key, one in given.pop("places").items()}
    return Paper(**given, places=places)


LEVELS = 256
"""Number of colours of a printed heat map."""


def _place(
    cells: Mapping[str, str | Mapping[str, str]] | None = None, columns: Sequence[str] = (), **given: Any
) -> Place:
    if cells is None:
        return _map(given.pop("map"), Place(cells={}, **given))
    return Place(cells={row: _cells(columns, printed) for row, printed in cells.items()}, **given)


def _cells(columns: Sequence[str], printed: str | Mapping[str, str]) -> Mapping[str, str]:
    if not isinstance(printed, str):
        return printed
    return {column: text for column, text in zip(columns, printed.split(), strict=True) if text != UNPRINTED}


def _map(given: Mapping[str, Any], place: Place) -> Place:
    """The place with colour midpoints as cells; resolution: half a colour step plus half the last digit of the ends."""
    ends, rows = given["ends"], given["levels"]
    low, high = map(printed_number, ends)
    step = (high - low) / LEVELS
    cells = {
        row: {column: f"{low + (level + 0.5) * step:.4f}" for column, level in zip(rows, levels, strict=True)}
        for row, levels in rows.items()
    }
    return place._replace(cells=cells, resolution=step / 2 + max(map(half_unit, ends)))
