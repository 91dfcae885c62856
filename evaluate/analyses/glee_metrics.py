"""The analysis ``glee-metrics``: GLEE's metrics of every match, by the definitions of the paper or of its public code.

One row per match: id, family, self-gains of both seats, efficiency and fairness; empty if undefined. Every match is
replayed first; a record that does not replay exactly has no metrics. The definition under which a match was recorded
does not matter. Self-gains are shares of the scale M (money, price), as in section 3 of arXiv:2410.05254; in persuasion
per round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Flag, OneOf, Option
from econzoo.envs.core.record import Record
from econzoo.evaluate.formats.glee import RecordReader, public_id
from econzoo.evaluate.run import EnvPool, Records, recompute_record, replay
from econzoo.evaluate.show import COUNT, RAW, READER_PLACES, TEXT, Column, Page, Part, Table, file_table


class Metrics(NamedTuple):
    """The metrics of one match; NaN if undefined.

    Attributes:
        id: GLEE's id of an imported game, else the match id.
        alice_gain: Self-gain of seat 0.
        bob_gain: Self-gain of seat 1.
    """

    id: str
    family: str
    alice_gain: float
    bob_gain: float
    efficiency: float
    fairness: float

    def clip(self) -> Metrics:
        """Clip efficiency and fairness to [0, 1], as GLEE's analysis code does; gains are unchanged."""
        return self._replace(efficiency=_clip_share(self.efficiency), fairness=_clip_share(self.fairness))


def _clip_share(value: float) -> float:
    return value if math.isnan(value) else min(max(value, 0.0), 1.0)


def metrics_of(record: Record, definition: str = "paper", pool: EnvPool | None = None) -> Metrics:
    """Compute the metrics of a match.

    Args:
        definition: ``"paper"`` or ``"glee-code"``.
        pool: Environments to reuse across records.

    Raises:
        ValueError: The game lacks the definition, the record does not replay, the match was truncated, or it does not
            have two seats.
    """
    if len(record.players) != 2:
        raise ValueError(f"match {record.id} has {format_count(len(record.players), 'seat')}: expected two")
    if record.is_truncated:
        raise ValueError(f"match {record.id} was truncated: it has no metrics")
    metrics = _checked_metrics(record, definition, pool or EnvPool())
    values = [math.nan if x is None else x for x in (*metrics["gains"], metrics["efficiency"], metrics["fairness"])]
    return Metrics(public_id(record), record.game, *values)


def _checked_metrics(record: Record, definition: str, pool: EnvPool) -> dict[str, Any]:
    """Replay a match and return its metrics by the definition, recomputed if it was recorded with another one."""
    problems = replay(record, pool)
    if problems:
        raise ValueError(f"match {record.id} does not replay as recorded: {problems[0]}")
    if record.options.get("metrics", "paper") == definition:
        return record.metrics
    return recompute_record(record, pool, metrics=definition).metrics


DEFINITIONS = ("paper", "glee-code")


def glee_metrics(
    records: Records,
    *,
    definition: Annotated[str, Option(OneOf(*DEFINITIONS), "Definition of the metrics.")] = "paper",
    clip: Annotated[bool, Option(Flag(), "Clip efficiency and fairness to [0, 1].")] = False,
) -> Page:
    """Compute GLEE's metrics of every match: id, family, self-gains, efficiency, fairness; empty if undefined.

    Every match is replayed first. Records that do not replay exactly are left out and reported.

    Args:
        records: Records of a file or folder.
        definition: ``"paper"`` or ``"glee-code"``.
        clip: See `Metrics.clip`.

    Raises:
        ValueError: No line is a record.
    """
    reading, pool = RecordReader(records.folder), EnvPool()
    rows = [row.clip() if clip else row for row in reading.iterate(lambda record: metrics_of(record, definition, pool))]
    parts: list[Part] = [_means(rows), file_table("metrics", Metrics._fields, rows, RAW)]
    name = records.folder.resolve().name
    return Page("glee-metrics", f"GLEE's metrics: {name}", parts, [format_count(len(rows), "match")], reading.lines())


def _means(rows: Sequence[Metrics]) -> Table:
    """Means by family, over the matches in which a metric is defined."""
    families = {
        family: [row for row in rows if row.family == family] for family in dict.fromkeys(r.family for r in rows)
    }
    measures = Metrics._fields[2:]
    body = [
        [family, len(own), *(_mean([getattr(row, name) for row in own]) for name in measures)]
        for family, own in families.items()
    ]
    columns = [Column("family", kind=TEXT), Column("matches", kind=COUNT), *map(Column, measures)]
    return Table("families", "Means by family", columns, body, places=READER_PLACES)


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if value == value]  # noqa: PLR0124  NaN is not
    return fmean(known) if known else None
