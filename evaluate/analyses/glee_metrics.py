"""The analysis ``glee-metrics``: GLEE's metrics of every match as a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, OneOf
from econzoo.envs.core.plurals import many
from econzoo.evaluate.formats.glee.metrics_table import Metrics, metrics_of
from econzoo.evaluate.formats.glee.reading import Reading
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.run.table import EnvPool
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import COUNT, PAGE, RAW, TERMINAL, TEXT, Column, Part, Table

DEFINITIONS = ("paper", "glee-code")


def glee_metrics(
    records: Records,
    *,
    definition: Annotated[str, Option(OneOf(*DEFINITIONS), "Whose metrics.")] = "paper",
    clip: Annotated[bool, Option(Flag(), "Cut efficiency and fairness to [0, 1].")] = False,
) -> Page:
    """GLEE's metrics of every match: id, family, self-gains, efficiency, fairness; empty where not defined.

    Every match is replayed first. What does not replay as recorded is left out and told.

    Args:
        records: In a file or folder.
        definition: ``"paper"`` or ``"glee-code"``.
        clip: See `Metrics.clipped`.

    Raises:
        ValueError: No line is a record.
    """
    reading, pool = Reading(records.folder), EnvPool()
    rows = [row.clipped() if clip else row for row in reading.each(lambda record: metrics_of(record, definition, pool))]
    columns = [*(Column(name, kind=TEXT) for name in Metrics._fields[:2]), *map(Column, Metrics._fields[2:])]
    parts: list[Part] = [
        _means(rows),
        Table("metrics", "Metrics of every match", columns, rows, places=(RAW,)),
    ]
    name = records.folder.resolve().name
    return Page("glee-metrics", f"GLEE's metrics: {name}", parts, [many(len(rows), "match")], reading.lines())


def _means(rows: Sequence[Metrics]) -> Table:
    """The means of each family, over the matches in which a figure is defined."""
    families = {
        family: [row for row in rows if row.family == family] for family in dict.fromkeys(r.family for r in rows)
    }
    measures = Metrics._fields[2:]
    body = [
        [family, len(own), *(_mean([getattr(row, name) for row in own]) for name in measures)]
        for family, own in families.items()
    ]
    columns = [Column("family", kind=TEXT), Column("matches", kind=COUNT), *map(Column, measures)]
    return Table("families", "Means by family", columns, body, places=(TERMINAL, PAGE))


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if value == value]  # noqa: PLR0124  NaN is not
    return fmean(known) if known else None
