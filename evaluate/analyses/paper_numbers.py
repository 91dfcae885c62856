"""What papers print, as data, and beside each printed number what we have.

One file a paper in ``papers/``:

    title, source = "ALYMPICS", "Mao et al. 2025, arXiv:2311.03220"

    [places.table-2]                            # a table, a figure, or sentences of the text
    title, kind = "Table 2", "table"
    player, games = "paper (GPT-4)", 10         # who played, and how many games each number is made of
    notes = ["..."]                             # what a reader must know
    digits = 1                                  # after the point, of our numbers that the paper does not print
    columns = ["Alex", "RSR end"]               # of rows that are one text, such as "0.1 0.83"; "-": none is printed
    within = 0.01                               # tolerance; without it half a unit of the last printed digit

    [places.table-2.cells]                      # as they are printed, since that says how they were rounded
    scarce = { Alex = "0.1", "RSR end" = "0.83" }

    [places.table-2.recounted]                  # not in the paper, but counted from its published data
    scarce = { "min. bid $" = "185.7" }

    [places.table-2.reasons]                    # why a cell differs, or cannot be identified, by row and column
    scarce = { "RSR end" = "..." }

A heat map that is printed in colours has, in the place of cells, both ends of its scale as they are printed and the
level of each colour, from 0 to 255, in rows whose names are those of the columns too:

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
"""Where a paper prints a number."""

EQUAL, DIFFERENT, UNIDENTIFIED, MISSING = VERDICTS = ("equal", "different", "not identifiable", "not compared")
"""What comes of a printed cell: ours is that number as it was rounded; it is another; the data cannot say; there are no
data."""

UNPRINTED = "-"
"""Stands in a row of a paper's file for a cell that is not printed."""

MAX_CELLS = 60
"""Cells of a place that are shown to people; of longer ones they see what is not equal, and files have all."""

MAX_NAMED_ROWS = 4
"""Rows that are not named one by one where they have one reason."""

COLUMNS = (
    Column("row", kind=TEXT),
    Column("cell", kind=TEXT),
    Column("paper"),
    Column("ours"),
    Column("difference", signed=True),
    Column("verdict", kind=TEXT, meaning="Equal: ours, rounded as the paper rounds, is what it prints"),
    Column("why", kind=TEXT, places=(FILES,)),
    Column("games", kind=COUNT),
)


class Place(NamedTuple):
    """A table, a figure or sentences of a paper; see the module for its file.

    Attributes:
        title: What it is called.
        kind: One of `KINDS`.
        cells: Row to column to what is printed: numbers, or words.
        player: Who played.
        games: How many each of its numbers is made of.
        notes: What a reader must know, in sentences.
        recounted: As `cells`, not printed but counted from the paper's data.
        digits: After the point, of what the paper does not print.
        within: How far ours may be from what is printed; None: half a unit of the last printed digit.
        reasons: Why a cell differs, or cannot be identified, in sentences.
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
        """How many cells are printed."""
        return sum(map(len, self.cells.values()))


class Paper(NamedTuple):
    """What a paper prints.

    Attributes:
        title: Of the paper, or what its games are called.
        source: Who published it where.
        places: Its tables, figures and sentences by name, in its order.
    """

    title: str
    source: str
    places: Mapping[str, Place]


class OwnNumber(NamedTuple):
    """One of our numbers.

    Attributes:
        row: Of the paper's place.
        cell: Column of the paper's place.
        value: The number, or words; None: the data cannot say.
        games: How many games or matches it is made of; 0: it follows from other printed numbers.
        reason: Why the data cannot say, or differ; empty: as the paper's file says.
        slack: How far it may be off because it follows from numbers that are rounded.
    """

    row: str
    cell: str
    value: float | str | None
    games: int = 0
    reason: str = ""
    slack: float = 0.0


class Comparison(NamedTuple):
    """A place of a paper with our numbers.

    Attributes:
        key: Name of its table.
        place: What is printed.
        numbers: Our numbers, of rows and columns that the paper may lack.
        source: What they are made of, such as "the published games".
        notes: Besides those of the paper, in sentences.
    """

    key: str
    place: Place
    numbers: Sequence[OwnNumber]
    source: str = "ours"
    notes: Sequence[str] = ()

    def verdicts(self) -> Counter[str]:
        """How many printed cells are of each of `VERDICTS`."""
        found = Counter(one for one in map(self.verdict, self.numbers) if one)
        found[MISSING] = self.place.size - found.total()
        return found

    def verdict(self, one: OwnNumber) -> str:
        """One of `VERDICTS`; empty: the paper prints no such cell."""
        printed = self.place.cells.get(one.row, {}).get(one.cell)
        if printed is None:
            return ""
        if one.value is None or one.value != one.value:  # NaN: not defined in these data
            return UNIDENTIFIED
        return EQUAL if agrees(printed, one.value, self.place.within, one.slack) else DIFFERENT


@cache
def read_paper(name: str) -> Paper:
    """What a paper prints, by the name of its file without ending."""
    given = load_package_toml(PAPERS_PACKAGE, f"{name}.toml")
    places = {key: _place(**one) for key, one in given.pop("places").items()}
    return Paper(**given, places=places)


LEVELS = 256
"""Colours of a heat map that is printed in colours."""


def _place(
    cells: Mapping[str, str | Mapping[str, str]] | None = None, columns: Sequence[str] = (), **given: Any
) -> Place:
    if cells is None:
        return _map(given.pop("map"), Place(cells={}, **given))
    return Place(cells={row: _cells(columns, told) for row, told in cells.items()}, **given)


def _cells(columns: Sequence[str], told: str | Mapping[str, str]) -> Mapping[str, str]:
    if not isinstance(told, str):
        return told
    return {column: text for column, text in zip(columns, told.split(), strict=True) if text != UNPRINTED}


def _map(given: Mapping[str, Any], place: Place) -> Place:
    """The place with the middles of the colours, which hold within half of one and of the ends' last digits."""
    ends, rows = given["ends"], given["levels"]
    low, high = map(printed_number, ends)
    step = (high - low) / LEVELS
    cells = {
        row: {column: f"{low + (level + 0.5) * step:.4f}" for column, level in zip(rows, levels, strict=True)}
        for row, levels in rows.items()
    }
    return place._replace(cells=cells, within=step / 2 + max(map(_half_unit, ends)))


def agrees(printed: str, value: float | str, within: float | None = None, slack: float = 0.0) -> bool:
    """Whether a number, rounded as a printed one, is that; a half may be rounded either way. Words are the same words.

    Args:
        printed: In the paper.
        value: Ours.
        within: Tolerance; None: half a unit of the last printed digit.
        slack: How far ours may be off by itself.
    """
    if isinstance(value, str):
        return value == printed
    within = _half_unit(printed) if within is None else within
    return abs(value - printed_number(printed)) <= (within + slack) * (1 + 1e-9) + 1e-9


def _half_unit(printed: str) -> float:
    number, scale = _split_scale(printed)
    return 0.5 * scale * 10 ** -len(number.partition(".")[2])


def digits_of(printed: str) -> int:
    """Digits after the point; none of thousands (33.7K) and millions."""
    number, scale = _split_scale(printed)
    return 0 if scale > 1 else len(number.partition(".")[2])


def compare_paper(paper: Paper, found: Sequence[Comparison]) -> list[Part]:
    """How many cells of each place are equal, and a section for each place with what is printed and ours.

    Args:
        paper: What is printed.
        found: Its places with our numbers; of the others nothing was compared.
    """
    head: list[Part] = [Text("Printed and ours", HEADING), _counts(paper, found)]
    return [*head, *(part for one in found for part in comparison_parts(one, paper.source))]


def comparison_parts(one: Comparison, source: str) -> list[Part]:
    """A section with a table, how many cells agree, and notes."""
    verdicts = one.verdicts()
    rows: list[Sequence[object]] = [_row(one.place, own, one.verdict(own)) for own in one.numbers]
    title = f"{one.place.title} beside {one.source}"
    note = f"Paper: {source}."
    if len(rows) <= MAX_CELLS:
        tables = [Table(one.key, title, COLUMNS, rows, note)]
    else:
        other = [row for row in rows if row[5] == DIFFERENT]
        note += " Cells that are equal or cannot be identified stand in the files only."
        if len(other) > MAX_CELLS:
            other, note = other[:MAX_CELLS], f"{note} The first {MAX_CELLS} others are shown."
        tables = [
            Table(one.key, title, COLUMNS, rows, note, places=(FILES,)),
            Table(one.key, title, COLUMNS, other, note, places=READER_PLACES),
        ]
    said = [
        Text(_verdict_sentence(one, verdicts)),
        *_reasons(rows),
        *(Text(text, NOTE) for text in (*one.place.notes, *one.notes)),
    ]
    return [Text(title, HEADING), *(table for table in tables if table.rows), *said]


def _reasons(rows: Iterable[Sequence[Any]]) -> Iterator[Text]:
    """Why cells differ or cannot be identified, those of one reason together: rows from the first to the last."""
    alike: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        if row[6]:
            alike.setdefault(row[6], []).append(row)
    for why, found in alike.items():
        names, cells = (list(dict.fromkeys(row[at] for row in found)) for at in (0, 1))
        where = ", ".join(names) if len(names) < MAX_NAMED_ROWS else f"{names[0]} to {names[-1]}"
        yield Text(f"{where}: {', '.join(cells)}. {why}")


def _verdict_sentence(one: Comparison, verdicts: Mapping[str, int]) -> str:
    others = [f"{verdicts[name]:,} {name}" for name in (DIFFERENT, UNIDENTIFIED, MISSING) if verdicts[name]]
    rest = len(one.numbers) - sum(verdicts.values()) + verdicts[MISSING]
    unprinted = f" Of {format_count(rest, 'other')} the paper prints no number." if rest else ""
    told = f"{verdicts[EQUAL]:,} of {one.place.size:,} printed cells are equal"
    return f"{'; '.join([told, *others])}.{unprinted}"


def _counts(paper: Paper, found: Sequence[Comparison]) -> Table:
    empty = Comparison("", Place("", "", {}), [], "-")
    rows: list[list[Any]] = []
    for key, place in paper.places.items():
        for one in [one for one in found if one.place is place] or [empty._replace(key=key, place=place)]:
            verdicts = one.verdicts()
            rows.append([place.title, place.kind, one.source, place.size, *(verdicts[name] for name in VERDICTS)])
    heads = [Column(name, kind=TEXT) for name in ("place", "kind", "beside")]
    counts = [Column(name.replace(" ", "_"), kind=COUNT) for name in ("cells", *VERDICTS)]
    return Table("places", f"What {paper.title} prints", [*heads, *counts], rows, f"Paper: {paper.source}.")


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
"""Thousands and millions, as papers shorten them."""


def printed_number(printed: str) -> float:
    """The number that is printed."""
    number, scale = _split_scale(printed)
    return scale * float(number.replace(",", ""))


def _split_scale(printed: str) -> tuple[str, float]:
    scale = SCALES.get(printed[-1:], 1.0)
    return printed.removesuffix(printed[-1]) if scale > 1 else printed, scale
