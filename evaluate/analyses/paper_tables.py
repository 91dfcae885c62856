"""Tables of printed numbers beside ours, with verdicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.paper_numbers import Comparison, OwnNumber, Paper
from econzoo.evaluate.analyses.verdicts import (
    COMPATIBLE,
    CONTRADICTS,
    EQUAL,
    MEANINGS,
    MISSING,
    VERDICTS,
    WITHIN,
    digits_of,
    printed_number,
)
from econzoo.evaluate.show.parts import (
    COUNT,
    FILES,
    HEADING,
    NOTE,
    PLACES,
    READER_PLACES,
    TEXT,
    Cell,
    Column,
    Part,
    Table,
    Text,
)
from econzoo.evaluate.stats.intervals import CONFIDENCE, Interval

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
    Column("why", kind=TEXT, places=(FILES,)),
    Column("games", kind=COUNT),
    Column("printed", kind=TEXT, places=(FILES,)),
)


def compare_paper(paper: Paper, found: Sequence[Comparison]) -> list[Part]:
    """Return counts of verdicts by place, and a section for each place with printed and own numbers.

    Args:
        paper: The printed numbers.
        found: Places that were compared.
    """
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
    for why, group in by_reason.items():
        names, cells = (list(dict.fromkeys(row[at] for row in group)) for at in (0, 1))
        where = ", ".join(names) if len(names) < MAX_NAMED_ROWS else f"{names[0]} to {names[-1]}"
        yield Text(f"{where}: {', '.join(cells)}. {why}")
