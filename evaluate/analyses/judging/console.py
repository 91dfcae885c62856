"""The report of judgements as tables, for the terminal and a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.gap_to_best import best_tables
from econzoo.evaluate.analyses.judging.report import ALL, JUDGE, PLAYER, Reading, Report, Row
from econzoo.evaluate.show.console import TextTable, as_text, drawn
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.numbers import NOTHING, number, span
from econzoo.evaluate.stats.intervals import Interval

HEADS = ("n", "mean", "95%", "sd", "q1", "median", "q3")

BEHIND = ("dimension", "best", "player")
MATCHES = "Scores of one match, of all its players by all judges, are one draw."

LEGEND = (
    "n: scores. 95%: over matches. sd: standard deviation. q1, median, q3: quartiles. "
    "alpha: Krippendorff's, 1 is agreement and 0 is chance."
)

READING = (
    "compact: told by tables, with longer texts shortened, because the whole does not fit the model. cut: a part is "
    "missing even so. left out: characters of what was written, in parts of the whole transcripts."
)


def tables(found: Report) -> list[Any]:
    """All tables for the terminal, and what is said beside them."""
    return [drawn(one) if isinstance(one, TextTable) else one for one in text_tables(found)]


def text_tables(found: Report) -> list[TextTable | str]:
    """All tables and sentences: scores, by player, by judge where there are several, agreement."""
    size = f"{many(found.items, 'player')} judged by {many(len(found.judges), 'judge')}"
    names = {d.key: d.name for d in found.rubric.dimensions}
    overall = [[names[row.dimension], *_cells(row)] for row in found.of(ALL)]
    made = [TextTable(f"{found.rubric.name}: {size}", ["dimension", *HEADS], overall, _missing(found))]
    if found.of(PLAYER):
        made.append(_grouped("By player", PLAYER, found))
        shorts = {d.key: d.short for d in found.rubric.dimensions}
        gaps = [one._replace(group=shorts[one.group]) for one in found.behind]
        made += map(as_text, best_tables(gaps, "Score less than that of the best player", BEHIND, MATCHES))
    if len(found.judges) > 1:
        made.append(_grouped("By judge: who is strict and who is mild", JUDGE, found))
    return [
        *made,
        *_read(found.readings),
        _agreement(found, names),
        f"{LEGEND} Words of the rubric: {found.rubric.digest}.",
    ]


def _read(readings: Sequence[Reading]) -> list[TextTable | str]:
    """What the judges read, if that is known: one line where all read everything, else a table."""
    if not readings:
        return []
    if all(not one.compact and not one.cut for one in readings):
        return ["Every match was read whole.\n"]
    heads = ["judge", "whole", "compact", "cut", "left out"]
    rows = [
        [called(one.judge), str(one.whole), str(one.compact), str(one.cut), f"{one.left_out / one.characters:.0%}"]
        for one in readings
    ]
    return [TextTable("What the judges read: players", heads, rows, READING)]


def _cells(row: Row) -> list[str]:
    interval = span(Interval(row.mean, row.low, row.high, row.n))
    quartiles = [f"{value:g}" if row.n else NOTHING for value in (row.q1, row.median, row.q3)]
    return [str(row.n), number(row.mean, 2), interval, number(row.sd, 2), *quartiles]


def _missing(found: Report) -> str:
    """How many questions have no score, if any."""
    without = sum(row.missing for row in found.of(ALL))
    return f"{many(without, 'question')} without a usable score, not counted above" if without else ""


def _grouped(title: str, by: str, found: Report) -> TextTable:
    shorts = {d.key: d.short for d in found.rubric.dimensions}
    rows: list[list[str]] = []
    before = None
    for row in found.of(by):
        rows.append([called(row.who) if row.who != before else "", shorts[row.dimension], *_cells(row)])
        before = row.who
    return TextTable(title, [by, "dimension", *HEADS], rows)


def _agreement(found: Report, names: dict[str, str]) -> TextTable | str:
    """A table, or one line where alpha is defined nowhere."""
    reasons = "; ".join(dict.fromkeys(one.undefined for one in found.agreement.values() if one.undefined))
    if all(one.undefined for one in found.agreement.values()):
        return f"The agreement of judges is not known here: {reasons}.\n"
    heads = ["dimension", "players", "judges", "scores", "ordinal", "interval"]
    rows = [
        [names[key], str(one.items), str(one.judges), str(one.ratings), number(one.ordinal), number(one.interval)]
        for key, one in found.agreement.items()
    ]
    caption = f"{NOTHING}: not known; {reasons}" if reasons else ""
    return TextTable("Agreement of the judges: alpha", heads, rows, caption)
