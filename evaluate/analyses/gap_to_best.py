"""Paired gaps to the best of each group, over common draws: seeds, items or matches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from econzoo.evaluate.show import READER_PLACES, TEXT, Column, Table, file_table
from econzoo.evaluate.stats import Columns, Difference, differences

HOLM = "Holm: significant at 5%, adjusted for all differences of the table (Holm)."
"""Meaning of the last column."""


class Case(NamedTuple):
    """An observation.

    Attributes:
        group: Group within which names are compared: a setting, a form, a dimension.
        draw: Pairing key within the group: a seed, an item, a match.
        value: Observed value; NaN if undefined.
    """

    group: str
    name: str
    draw: int | str
    value: float


class GapToBest(NamedTuple):
    """A comparison with the best of a group; the gap is the mean of the best minus that of the other."""

    group: str
    best: str
    name: str
    gap: Difference


def group_gaps_to_best(cases: Iterable[Case]) -> list[GapToBest]:
    """Compute paired differences to the best of every group, Holm-adjusted over all groups.

    Args:
        cases: Observations; NaN values are left out.
    """
    known = [one for one in cases if not math.isnan(one.value)]
    # A group stands for a setting, whose draws are its seeds. Names are made unique to it, so that Holm's adjustment is
    # over the comparisons of all groups.
    rows = [
        {"both": _pair_key(g.group, g.name), "setting": g.group, "cluster": f"{g.group}#{g.draw}", "value": g.value}
        for g in known
    ]
    values: dict[str, dict[str, list[float]]] = {}
    for one in known:
        values.setdefault(one.group, {}).setdefault(one.name, []).append(one.value)
    means = {group: {name: sum(own) / len(own) for name, own in lists.items()} for group, lists in values.items()}
    best = {group: max(mean, key=mean.__getitem__) for group, mean in means.items()}
    pairs = [(group, best[group], name) for group, mean in means.items() for name in mean if name != best[group]]
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
    """Return a table with one row for each comparison that has an interval.

    Args:
        heads: Headings of the columns of names.
        gaps: Names, and the gap of the last one to the best.
        note: Text ahead of `HOLM`.
    """
    columns = [
        *(Column(head, kind=TEXT) for head in heads),
        Column("gap_to_best", digits=digits, show_interval=True),
    ]
    rows = [(*names, gap, gap.distinct) for names, gap in gaps if not math.isnan(gap.low)]
    return Table(key, title, [*columns, Column("distinct", "Holm", TEXT)], rows, f"{note} {HOLM}".strip())


def gap_tables(
    found: Sequence[GapToBest], title: str, names: tuple[Column, Column], note: str = "", key: str = "differences"
) -> list[Table]:
    """Return a file table of all comparisons, and a displayed table of those with an interval."""
    shown = gap_table(key, title, [names[0].title, "best", names[1].title], ((one[:3], one.gap) for one in found), note)
    heads = (names[0].key, "best", names[1].key, "gap_to_best", "low", "high", "distinct")
    return [file_table(key, heads, ((*one[:3], *one.gap) for one in found)), replace(shown, places=READER_PLACES)]
