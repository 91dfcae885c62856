"""How far each is behind the best one of its group, draw by draw: a group shares luck, items or matches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from econzoo.evaluate.show.parts import READER_PLACES, TEXT, Column, Table, file_table
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import Difference, differences

HOLM = "Holm: whether it is more than chance, with all differences of the table counted."
"""What the last column means."""


class Case(NamedTuple):
    """A value of somebody.

    Attributes:
        group: What those have in common that are compared: a setting, a form, a dimension.
        name: Whose value it is.
        draw: What it was drawn with, and others of the group too: a seed, an item, a match.
        value: What is compared; NaN where it is not defined.
    """

    group: str
    name: str
    draw: int | str
    value: float


class GapToBest(NamedTuple):
    """A comparison.

    Attributes:
        group: See `Case`.
        best: Who has the highest mean there.
        name: Another one.
        gap: How far that is behind.
    """

    group: str
    best: str
    name: str
    gap: Difference


def group_gaps_to_best(cases: Iterable[Case]) -> list[GapToBest]:
    """Paired differences to the best of every group; all of them are counted together (Holm).

    Args:
        cases: Those without a value are left out.
    """
    known = [one for one in cases if not math.isnan(one.value)]
    rows = [
        {"both": _pair_key(g.group, g.name), "market": g.group, "cluster": f"{g.group}#{g.draw}", "value": g.value}
        for g in known
    ]
    values: dict[str, dict[str, list[float]]] = {}
    for one in known:
        values.setdefault(one.group, {}).setdefault(one.name, []).append(one.value)
    means = {group: {name: sum(own) / len(own) for name, own in found.items()} for group, found in values.items()}
    best = {group: max(found, key=found.__getitem__) for group, found in means.items()}
    pairs = [(group, best[group], name) for group, found in means.items() for name in found if name != best[group]]
    keys = [(_pair_key(group, first), _pair_key(group, name)) for group, first, name in pairs]
    gaps = differences(Columns.of_rows(rows), keys, "value", by="both", over="seeds")
    return [GapToBest(*pair, gaps[key]) for key, pair in zip(keys, pairs, strict=True)]


def _pair_key(group: str, name: str) -> str:
    return f"{group}\n{name}"


def gap_table(
    key: str,
    title: str,
    heads: Sequence[str],
    gaps: Iterable[tuple[Sequence[str], Difference]],
    note: str = "",
    digits: int = 2,
) -> Table:
    """One row for each comparison of which an interval says how sure it is.

    Args:
        key: Of the table.
        title: Of the table.
        heads: Of the columns of names.
        gaps: Names, and how far the last one is behind.
        note: What stands before `HOLM`.
        digits: Of the differences.
    """
    columns = [*(Column(head, kind=TEXT) for head in heads), Column("behind", digits=digits, show_interval=True)]
    rows = [(*names, gap, gap.distinct) for names, gap in gaps if not math.isnan(gap.low)]
    return Table(key, title, [*columns, Column("distinct", "Holm", TEXT)], rows, f"{note} {HOLM}".strip())


def gap_tables(
    found: Sequence[GapToBest], title: str, names: tuple[Column, Column], note: str = "", key: str = "differences"
) -> list[Table]:
    """Every comparison in a row for files, and those of which an interval says how sure they are for people.

    Args:
        found: See `group_gaps_to_best`.
        title: Of the tables.
        names: Columns of the groups, and of those that are compared.
        note: What stands before `HOLM`.
        key: Of their files.
    """
    shown = gap_table(key, title, [names[0].title, "best", names[1].title], ((one[:3], one.gap) for one in found), note)
    heads = (names[0].key, "best", names[1].key, "behind", "low", "high", "distinct")
    return [file_table(key, heads, ((*one[:3], *one.gap) for one in found)), replace(shown, places=READER_PLACES)]
