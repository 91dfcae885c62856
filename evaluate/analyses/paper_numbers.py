"""Printed numbers of papers as data, and their comparison with ours.

One file per paper in ``papers/``:

    title, source = "ALYMPICS", "Mao et al. 2025, arXiv:2311.03220"

    [places.table-2]                            # a table, a figure, or sentences of the text
    title, kind = "Table 2", "table"
    player, games = "paper (GPT-4)", 10         # player, and number of games per printed number
    notes = ["..."]                             # notes for the reader
    digits = 1                                  # decimals of our numbers that the paper does not print
    columns = ["Alex", "RSR end"]               # columns of rows that are one text, as "0.1 0.83"; "-": not printed
    within = 0.01                               # tolerance; default: half a unit of the last printed digit

    [places.table-2.cells]                      # exactly as printed, which shows the rounding
    scarce = { Alex = "0.1", "RSR end" = "0.83" }

    [places.table-2.recounted]                  # not in the paper, but computed from its published data
    scarce = { "min. bid $" = "185.7" }

    [places.table-2.reasons]                    # why a cell differs or is not identifiable, by row and column
    scarce = { "RSR end" = "..." }

A heat map printed in colours has, instead of cells, both ends of its printed scale and the level of each colour, from 0
to 255, in rows named like the columns:

    [places.figure-1.map]
    ends = ["-0.13", "0.09"]
    levels = { first = [235, 210], second = [223, 203] }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import load_package_toml
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.show.parts import (
    COUNT,
    FILES,
    HEADING,
    NOTE,
    READER_PLACES,
    TEXT,
    Cell,
    Column,
    Part,
    Table,
    Text,
)

PAPERS_PACKAGE = "econzoo.evaluate.analyses.papers"

KINDS = ("table", "figure", "sentence")
"""Kinds of places where a paper prints numbers."""

EQUAL, DIFFERENT, UNIDENTIFIED, MISSING = VERDICTS = ("equal", "different", "not identifiable", "not compared")
"""Verdicts on a printed cell: our number rounds to it; it does not; the data do not identify it; no data."""

UNPRINTED = "-"
"""Mark of an unprinted cell in a row of a paper's file."""

MAX_CELLS = 60
"""Most cells of a place that pages show in full; of longer places they show unequal cells, and files have all."""

MAX_NAMED_ROWS = 4
"""From this many rows with a common reason, only the first and last are named."""

COLUMNS = (
    Column("row", kind=TEXT),
    Column("cell", kind=TEXT),
    Column("paper"),
    Column("ours"),
    Column("difference", signed=True),
    Column("verdict", kind=TEXT, meaning="Equal: our number, rounded as in the paper, is the printed one"),
    Column("why", kind=TEXT, places=(FILES,)),
    Column("games", kind=COUNT),
)


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
        within: Tolerance; None: half a unit of the last printed digit.
        reasons: Why a cell differs or is not identifiable, in sentences.
    """

    title: str
    kind: str
    cells: Mapping[str, Mapping[str, str]]
    player: str = ""
    games: int = 0
    notes: Sequence[str] = ()
    recounted: Mapping[str, Mapping[str, str]] = {}
    digits: int = 2
    within: float | None = None
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
        value: The number, or a word; None: the data do not identify it.
        games: Number of games or matches; 0: it follows from other printed numbers.
        reason: Why it is not identifiable, or differs; empty: see the paper's file.
        slack: Maximum error due to rounded inputs.
    """

    row: str
    cell: str
    value: float | str | None
    games: int = 0
    reason: str = ""
    slack: float = 0.0


class Comparison(NamedTuple):
    """A place of a paper beside our numbers.

    Attributes:
        key: Key of its table.
        place: The printed numbers.
        numbers: Our numbers, also of rows and columns that the paper lacks.
        source: Their data, such as "the published games".
        notes: Notes besides those of the paper, in sentences.
    """

    key: str
    place: Place
    numbers: Sequence[OwnNumber]
    source: str = "ours"
    notes: Sequence[str] = ()

    def verdicts(self) -> Counter[str]:
        """Count the printed cells with each of `VERDICTS`."""
        counts = Counter(one for one in map(self.verdict, self.numbers) if one)
        counts[MISSING] = self.place.size - counts.total()
        return counts

    def verdict(self, one: OwnNumber) -> str:
        """Return one of `VERDICTS`; empty if the paper prints no such cell."""
        printed = self.place.cells.get(one.row, {}).get(one.cell)
        if printed is None:
            return ""
        if one.value is None or one.value != one.value:  # NaN: not defined in these data
            return UNIDENTIFIED
        return EQUAL if agrees(printed, one.value, self.place.within, one.slack) else DIFFERENT


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
    """The place with colour midpoints as cells; tolerance: half a colour step plus half the last digit of the ends."""
    ends, rows = given["ends"], given["levels"]
    low, high = map(printed_number, ends)
    step = (high - low) / LEVELS
    cells = {
        row: {column: f"{low + (level + 0.5) * step:.4f}" for column, level in zip(rows, levels, strict=True)}
        for row, levels in rows.items()
    }
    return place._replace(cells=cells, within=step / 2 + max(map(_half_unit, ends)))


def agrees(printed: str, value: float | str, within: float | None = None, slack: float = 0.0) -> bool:
    """Whether our number rounds to the printed one, with halves rounded either way; words must be equal.

    Args:
        printed: Text in the paper.
        value: Our number or word.
        within: Tolerance; None: half a unit of the last printed digit.
        slack: Maximum error of our number.
    """
    if isinstance(value, str):
        return value == printed
    within = _half_unit(printed) if within is None else within
    return abs(value - printed_number(printed)) <= (within + slack) * (1 + 1e-9) + 1e-9


def _half_unit(printed: str) -> float:
    number, scale = _split_scale(printed)
    return 0.5 * scale * 10 ** -len(number.partition(".")[2])


def digits_of(printed: str) -> int:
    """Return the number of decimals; 0 for thousands (33.7K) and millions."""
    number, scale = _split_scale(printed)
    return 0 if scale > 1 else len(number.partition(".")[2])


def compare_paper(paper: Paper, found: Sequence[Comparison]) -> list[Part]:
    """Return counts of verdicts by place, and a section for each place with printed and own numbers.

    Args:
        paper: The printed numbers.
        found: Places that were compared.
    """
    head: list[Part] = [Text("Printed numbers beside ours", HEADING), _counts(paper, found)]
    return [*head, *(part for one in found for part in comparison_parts(one, paper.source))]


def comparison_parts(one: Comparison, source: str) -> list[Part]:
    """Return a section with a table, counts of verdicts, and notes."""
    verdicts = one.verdicts()
    rows: list[Sequence[object]] = [_row(one.place, own, one.verdict(own)) for own in one.numbers]
    title = f"{one.place.title} beside {one.source}"
    note = f"Paper: {source}."
    if len(rows) <= MAX_CELLS:
        tables = [Table(one.key, title, COLUMNS, rows, note)]
    else:
        other = [row for row in rows if row[5] == DIFFERENT]
        note += " Equal and not identifiable cells are in the files only."
        if len(other) > MAX_CELLS:
            other, note = other[:MAX_CELLS], f"{note} The first {MAX_CELLS} different cells are shown."
        tables = [
            Table(one.key, title, COLUMNS, rows, note, places=(FILES,)),
            Table(one.key, title, COLUMNS, other, note, places=READER_PLACES),
        ]
    texts = [
        Text(_verdict_sentence(one, verdicts)),
        *_reasons(rows),
        *(Text(text, NOTE) for text in (*one.place.notes, *one.notes)),
    ]
    return [Text(title, HEADING), *(table for table in tables if table.rows), *texts]


def _reasons(rows: Iterable[Sequence[Any]]) -> Iterator[Text]:
    """Reasons for cells that differ or are not identifiable, grouped by reason."""
    by_reason: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        if row[6]:
            by_reason.setdefault(row[6], []).append(row)
    for why, group in by_reason.items():
        names, cells = (list(dict.fromkeys(row[at] for row in group)) for at in (0, 1))
        where = ", ".join(names) if len(names) < MAX_NAMED_ROWS else f"{names[0]} to {names[-1]}"
        yield Text(f"{where}: {', '.join(cells)}. {why}")


def _verdict_sentence(one: Comparison, verdicts: Mapping[str, int]) -> str:
    others = [f"{verdicts[name]:,} {name}" for name in (DIFFERENT, UNIDENTIFIED, MISSING) if verdicts[name]]
    rest = len(one.numbers) - sum(verdicts.values()) + verdicts[MISSING]
    unprinted = (
        f" {format_count(rest, 'number')} of ours {'is' if rest == 1 else 'are'} not in the paper." if rest else ""
    )
    equal = f"{verdicts[EQUAL]:,} of {one.place.size:,} printed cells are equal"
    return f"{'; '.join([equal, *others])}.{unprinted}"


def _counts(paper: Paper, found: Sequence[Comparison]) -> Table:
    empty = Comparison("", Place("", "", {}), [], "-")
    rows: list[list[Any]] = []
    for key, place in paper.places.items():
        for one in [one for one in found if one.place is place] or [empty._replace(key=key, place=place)]:
            verdicts = one.verdicts()
            rows.append([place.title, place.kind, one.source, place.size, *(verdicts[name] for name in VERDICTS)])
    heads = [Column(name, kind=TEXT) for name in ("place", "kind", "beside")]
    counts = [Column(name.replace(" ", "_"), kind=COUNT) for name in ("cells", *VERDICTS)]
    return Table("places", f"Printed numbers: {paper.title}", [*heads, *counts], rows, f"Paper: {paper.source}.")


def _row(place: Place, one: OwnNumber, verdict: str) -> list[object]:
    printed = place.cells.get(one.row, {}).get(one.cell, "")
    why = (one.reason or place.reasons.get(one.row, {}).get(one.cell, "")) if verdict != EQUAL else ""
    if isinstance(one.value, str) or _is_word(printed):
        return [one.row, one.cell, printed or None, one.value, None, verdict, why, one.games or None]
    digits = digits_of(printed) if printed else place.digits
    paper = printed_number(printed) if printed else None
    gap = None if paper is None or one.value is None else one.value - paper
    numbers = [Cell(value, digits=digits) for value in (paper, one.value, gap)]
    return [one.row, one.cell, *numbers, verdict, why, one.games or None]


def _is_word(printed: str) -> bool:
    return bool(printed) and not any(sign.isdigit() for sign in printed)


SCALES = {"K": 1e3, "M": 1e6}
"""Suffixes of thousands and millions."""


def printed_number(printed: str) -> float:
    """Parse a printed number."""
    number, scale = _split_scale(printed)
    return scale * float(number.replace(",", ""))


def _split_scale(printed: str) -> tuple[str, float]:
    scale = SCALES.get(printed[-1:], 1.0)
    return printed.removesuffix(printed[-1]) if scale > 1 else printed, scale
