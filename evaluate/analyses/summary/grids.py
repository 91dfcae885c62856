"""Means of players by opponent and by setting, as heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses import COUNTED, Estimates, Group
from econzoo.evaluate.analyses.summary.tables import suffixes
from econzoo.evaluate.show import NOTE, PAGE, TERMINAL, TEXT, Cell, Column, Table, Text, write_interval, write_number
from econzoo.evaluate.stats import BEST, MAX_MISSING, MISSING, WORST, values_of

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.summary.summary import Summary

MAX_SETTINGS = 80
"""Maximum number of rows of the table of settings."""

MARK = "\u2020"
RECORDED_NOTE = "Forfeits and default actions count as recorded."
MARK_NOTE = f"{MARK} more than {MAX_MISSING:.0%} of the matches are missing; the mean is of the others."

Links = Mapping[tuple[str, str, str], str]
"""(role or empty, player, opponent) to the anchor of their matches."""

MAX_TERMINAL_COLUMNS = 8
"""Maximum number of opponent columns in a terminal; files and pages have all."""


def cross_play(summary: Summary, links: Links = MappingProxyType({})) -> list[Table | Text]:
    """Return means of the row player against the column player; terminals number the columns."""
    return [part for group in summary.groups for part in _cross_play(summary, group, links)]


def _cross_play(summary: Summary, group: Group, links: Links) -> Iterator[Table | Text]:
    where, key = suffixes(summary, group)
    others = ", which fills all other seats" if summary.facts.seats > 2 else ""
    note = f"Mean {summary.measure} of the row player against the column player{others}."
    note += " Numbers link to matches of the two." if links else ""
    note = " ".join([note, *_remarks(group)])
    anchors = {(player, other): f"#{at}" for (role, player, other), at in links.items() if role == group.role}
    first = f"{summary.measure} of row against"
    shown = group.players, group.opponents, group.pairs
    yield grid(f"cross_play_means{key}", f"Cross-play{where}", first, *shown, summary, anchors, note)
    names = [*group.players, *(one for one in group.opponents if one not in group.players)]
    faced = [(str(at), name) for at, name in enumerate(names, start=1) if name in group.opponents]
    if len(faced) > MAX_TERMINAL_COLUMNS:
        note = f"Cross-play{where}: {len(faced)} opponents are too many for a terminal; cross_play.csv has them."
        yield Text(note, NOTE, places=(TERMINAL,))
        return
    columns = [Column("opponent", "against", TEXT), *(Column(at, digits=2) for at, _ in faced)]
    rows = [
        [f"{at} {player}", *(_mean(group.pairs.get((player, other)), summary.objective) for _, other in faced)]
        for at, player in enumerate(group.players, start=1)
    ]
    more = ", ".join(f"{at} {name}" for at, name in enumerate(names, start=1) if name not in group.players)
    more = ". ".join(filter(None, [more, " ".join(_remarks(group))]))
    yield Table(
        f"cross_play{key}", f"Cross-play: mean {summary.measure}{where}", columns, rows, more, places=(TERMINAL,)
    )


def _remarks(group: Group) -> list[str]:
    return [MARK_NOTE] * group.has_cases + [RECORDED_NOTE] * (group.ranked == COUNTED)


def setting_tables(summary: Summary) -> list[Table]:
    """Return the mean of each player in each setting; empty for one setting or more than `MAX_SETTINGS`."""
    names = list(dict.fromkeys(values_of(summary.columns["setting"])))
    if not 2 <= len(names) <= MAX_SETTINGS:
        return []
    tables = []
    for group in summary.groups:
        found = {(setting, p): one for (p, setting), one in group.settings.items()}
        played = [name for name in names if any(setting == name for setting, _ in found)]
        where, key = suffixes(summary, group)
        note = f"Mean {summary.measure} of each player in each setting; intervals are over seeds."
        note = " ".join([note, *_remarks(group)])
        tables.append(
            grid(f"by_setting{key}", f"By setting{where}", "setting", played, group.players, found, summary, note=note)
        )
    return tables


def grid(
    key: str,
    title: str,
    first: str,
    rows: Sequence[str],
    columns: Sequence[str],
    found: Mapping[tuple[str, str], Estimates],
    summary: Summary,
    links: Mapping[tuple[str, str], str] = MappingProxyType({}),
    note: str = "",
) -> Table:
    """Return a heat map of means for pages, with intervals and the cases of missing matches as tooltips."""
    heads = [Column(first, kind=TEXT), *(Column(name, name) for name in columns)]

    def cell(row: str, column: Column) -> Cell:
        estimates = found.get((row, column.key), {})
        one, cases, missing = estimates.get(summary.objective), _write_cases(estimates), mark(estimates)
        if one is None or math.isnan(one.mean):
            return Cell(None, missing, cases)
        tip = ", ".join(filter(None, [write_interval(column, one), format_count(one.rows, "row"), cases]))
        return Cell(one.mean, missing, tip, links.get((row, column.key), ""))

    body = [[row, *(cell(row, column) for column in heads[1:])] for row in rows]
    return Table(key, title, heads, body, note, shade="upwards", places=(PAGE,))


def _mean(estimates: Estimates | None, objective: str) -> Cell:
    return Cell(None) if estimates is None else Cell(estimates[objective].mean, mark(estimates))


def mark(estimates: Estimates) -> str:
    """Return `MARK` for a mean of which too many matches are missing; else empty."""
    return MARK if MISSING in estimates and estimates[MISSING].mean > MAX_MISSING else ""


def _write_cases(estimates: Estimates) -> str:
    """Return e.g. ``"from 0.120 to 0.480 with missing matches"``; empty unless matches are missing."""
    if not mark(estimates):
        return ""
    worst, best = (write_number(Column(end), estimates[end].mean) for end in (WORST, BEST))
    return f"from {worst} to {best} with missing matches"
