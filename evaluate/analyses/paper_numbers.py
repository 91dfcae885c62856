"""Printed numbers of papers as data, and tables of them beside ours, with verdicts.

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

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import load_package_toml
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, INCOMPARABLE, MEANINGS, MISSING, VERDICTS
from econzoo.evaluate.analyses.verdicts import WITHIN, Verdict, digits_of, find_verdict, half_unit, printed_number
from econzoo.evaluate.show import COUNT, FILES, HEADING, NOTE, PLACES, READER_PLACES, TEXT, Cell, Column, Part, Table
from econzoo.evaluate.show import Text
from econzoo.evaluate.stats import CONFIDENCE, Interval

PAPERS_PACKAGE = "econzoo.evaluate.analyses.papers"

KINDS = ("table", "figure", "sentence")
"""Kinds of places where a paper prints numbers."""

UNPRINTED = "-"
"""Mark of an unprinted cell in a row of a paper's file."""


class Place(NamedTuple):
    """A table, figure or passage of a paper; see the module for its file.

    Attributes:
        title: Title, such as "Table 2".
        resolution: Maximum error of cells read from colours; None: half a unit of the last printed digit.
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
    """The printed numbers of a paper."""

    title: str
    source: str
    places: Mapping[str, Place]


class OwnNumber(NamedTuple):
    """One of our numbers.

    Attributes:
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


# Tables of printed numbers beside ours, with verdicts

MAX_CELLS = 60
"""Most cells of a place that pages show in full; of longer places they show `NOTABLE` cells, and files have all."""

NOTABLE = (CONTRADICTS, WITHIN, COMPATIBLE)
"""Verdicts that pages show of long places, in this order."""

MAX_NAMED_ROWS = 4
"""From this many rows with a common reason, only the first and last are named."""

COLUMNS = (
    Column("row", kind=TEXT),
    Column("cell", kind=TEXT),
    Column("paper"),
    Column("ours"),
    Column("difference", signed=True),
    Column("slack"),
    Column("verdict", kind=TEXT),
    Column("reason", kind=TEXT, places=(FILES,)),
    Column("games", kind=COUNT),
    Column("printed", kind=TEXT, places=(FILES,)),
)


def compare_paper(paper: Paper, found: Sequence[Comparison]) -> list[Part]:
    """Return counts of verdicts by place, and a section for each place with printed and own numbers."""
    head: list[Part] = [Text("Printed numbers beside ours", HEADING), *_counts(paper, found)]
    return [*head, *(part for one in found for part in comparison_parts(one, paper.source))]


def _counts(paper: Paper, found: Sequence[Comparison]) -> list[Part]:
    """Counts of verdicts by place; readers see only verdicts that occur."""
    total, rows = Counter[str](), []
    for place in paper.places.values():
        for one in [one for one in found if one.place is place] or [Comparison("", place, [], "-")]:
            counts = one.verdicts()
            total += counts
            rows.append([place.title, place.kind, one.source, place.size, *(counts[word] for word in VERDICTS)])
    heads = [Column("place", kind=TEXT), Column("kind", kind=TEXT, places=(FILES,)), Column("beside", kind=TEXT)]
    verdicts = [
        Column(word.replace(" ", "_"), kind=COUNT, meaning=meaning, places=PLACES)
        if total[word]
        else Column(word.replace(" ", "_"), kind=COUNT, places=(FILES,))
        for word, meaning in MEANINGS.items()
    ]
    columns = [*heads, Column("cells", kind=COUNT), *verdicts]
    table = Table("places", f"Printed numbers: {paper.title}", columns, rows, f"Paper: {paper.source}.")
    del total[MISSING]
    size = sum(place.size for place in paper.places.values())
    return [table, Text(f"Of {size:,} printed cells: {_format_verdicts(total) or MISSING}.")]


def comparison_parts(one: Comparison, source: str) -> list[Part]:
    """Return a section with a table, counts of verdicts, and notes."""
    title = f"{one.place.title} beside {one.source}"
    rows = [_row(one, own) for own in one.numbers]
    columns, note = _columns(one), f"Paper: {source}."
    if len(rows) <= MAX_CELLS:
        tables = [Table(one.key, title, columns, rows, note)]
    else:
        notable = [row for word in NOTABLE for row in rows if row[6] == word]
        note += " Other cells are in the files only."
        if len(notable) > MAX_CELLS:
            notable, note = notable[:MAX_CELLS], f"{note} The first {MAX_CELLS} of {len(notable)} are shown."
        tables = [
            Table(one.key, title, columns, rows, note, places=(FILES,)),
            Table(one.key, title, columns, notable, note, places=READER_PLACES),
        ]
    texts = [
        Text(" ".join(_verdict_sentences(one))),
        *_reasons(rows),
        *(Text(text, NOTE) for text in (*one.place.notes, *one.notes)),
    ]
    return [Text(title, HEADING), *(table for table in tables if table.rows), *texts]


def _columns(one: Comparison) -> list[Column]:
    """Columns with intervals if there are estimates; readers see slack only where there is some."""
    has_slack = one.place.resolution is not None or any(own.slack for own in one.printed_numbers)
    changes: dict[str, dict[str, Any]] = {
        "difference": {"show_interval": any(isinstance(own.value, Interval) for own in one.printed_numbers)},
        "slack": {"places": PLACES if has_slack else (FILES,)},
    }
    return [replace(column, **changes.get(column.key, {})) for column in COLUMNS]


def _row(one: Comparison, own: OwnNumber) -> list[object]:
    printed, verdict = one.printed_cell(own), one.verdict(own)
    is_estimate = isinstance(own.value, Interval)  # reasons of the paper's file are about exact numbers
    known = "" if is_estimate else one.place.reasons.get(own.row, {}).get(own.cell, "")
    reason = "" if verdict.word in (EQUAL, WITHIN) else own.reason or known or verdict.reason
    digits_shown = printed if one.place.resolution is None else ""  # colours print none
    ends = [verdict.word, reason, own.games or None, digits_shown]
    if isinstance(own.value, str) or _is_word(printed):
        return [own.row, own.cell, printed or None, own.value, None, None, *ends]
    digits = digits_of(printed) if printed else one.place.digits
    value = own.value.mean if isinstance(own.value, Interval) else own.value
    if one.fitted and not verdict.difference:  # ours is the printed number, which says nothing
        value = None
    paper = printed_number(printed) if printed else None
    cells = [Cell(number, digits=digits) for number in (paper, value, verdict.difference)]
    slack = own.slack + (one.place.resolution or 0.0)
    return [own.row, own.cell, *cells, Cell(slack, digits=_slack_digits(slack)) if printed else None, *ends]


def _slack_digits(slack: float) -> int:
    """Decimals of a slack with two significant digits."""
    return max(0, 1 - math.floor(math.log10(slack))) if slack else 0


def _is_word(printed: str) -> bool:
    return bool(printed) and not any(sign.isdigit() for sign in printed)


def _verdict_sentences(one: Comparison) -> Iterator[str]:
    yield f"Of {format_count(one.place.size, 'printed cell')}: {_format_verdicts(one.verdicts())}."
    gaps = [gap for gap in (one.verdict(own).difference for own in one.printed_numbers) if gap is not None]
    judged = sum(gap.low < gap.high for gap in gaps)
    if exact := sum(gap.low == gap.high for gap in gaps):
        yield f"Exact, with sampling uncertainty 0: {'all' if exact == len(gaps) else f'{exact:,}'} of ours."
    if one.fitted:
        cells, freedom = (
            format_count(n, word) for n, word in ((len(one.printed_numbers), "cell"), (one.freedom, "degree"))
        )
        yield f"Ours are shifted to the paper's mean over {cells}, which leaves {freedom} of freedom."
    if chance := round((1 - CONFIDENCE) * judged):
        yield f"By chance alone about {chance} of {format_count(judged, 'interval')} exclude 0."
    if rest := len(one.numbers) - len(one.printed_numbers):
        yield f"{format_count(rest, 'number')} of ours {'is' if rest == 1 else 'are'} not in the paper."


def _format_verdicts(counts: Mapping[str, int]) -> str:
    names = {CONTRADICTS: "contradict"}
    return ", ".join(f"{counts[word]:,} {names.get(word, word)}" for word in VERDICTS if counts[word])


def _reasons(rows: Iterable[Sequence[Any]]) -> Iterator[Text]:
    """Reasons of verdicts, grouped by reason."""
    by_reason: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        if row[7]:
            by_reason.setdefault(row[7], []).append(row)
    for reason, group in by_reason.items():
        names, cells = (list(dict.fromkeys(row[at] for row in group)) for at in (0, 1))
        where = ", ".join(names) if len(names) < MAX_NAMED_ROWS else f"{names[0]} to {names[-1]}"
        yield Text(f"{where}: {', '.join(cells)}. {reason}")
