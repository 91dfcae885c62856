"""GLEE's metrics of every match as a table, by the paper or by the paper's public code.

One row a match: its id, the family, the self-gains of both seats, efficiency and fairness; empty where a figure is not
defined. They are made by playing the answers again, so they do not depend on the definition a match was recorded with.
Self-gains are shares of the scale M (money, price), as in section 3 of arXiv:2410.05254; in persuasion per round.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from econzoo.envs.core.record import Record
from econzoo.evaluate.replay import played_again
from econzoo.evaluate.table import EnvPool

DEFINITIONS = ("paper", "glee-code")


class Metrics(NamedTuple):
    """The figures of one match; NaN where a figure is not defined.

    Attributes:
        id: GLEE's id of an imported game, else that of the match.
        family: Name of the game.
        alice_gain: Self-gain of seat 0.
        bob_gain: Self-gain of seat 1.
        efficiency: See the game's `metrics`.
        fairness: See the game's `metrics`.
    """

    id: str
    family: str
    alice_gain: float
    bob_gain: float
    efficiency: float
    fairness: float

    def clipped(self) -> Metrics:
        """With efficiency and fairness cut to [0, 1], as the analysis of GLEE's code does; the gains stay."""
        return self._replace(efficiency=_cut(self.efficiency), fairness=_cut(self.fairness))

    def cells(self) -> list[str]:
        """As text, with all digits."""
        return [self.id, self.family, *("" if math.isnan(x) else repr(x) for x in self[2:])]  # type: ignore[arg-type]


def _cut(value: float) -> float:
    return value if math.isnan(value) else min(max(value, 0.0), 1.0)


def metrics_of(record: Record, definition: str = "paper", pool: EnvPool | None = None) -> Metrics:
    """The metrics of a match by one of `DEFINITIONS`.

    Args:
        record: A match of two seats.
        definition: ``"paper"`` or ``"glee-code"``.
        pool: Where environments come from, if there are many records.

    Raises:
        ValueError: The game does not have the definition, the record does not fit the rules, or there are more seats.
    """
    if len(record.players) != 2:
        raise ValueError(f"match {record.id} has {len(record.players)} seats; the table is for two")
    found = played_again(record, pool, metrics=definition).metrics
    values = [math.nan if x is None else x for x in (*found["gains"], found["efficiency"], found["fairness"])]
    return Metrics((record.source or {}).get("id", record.id), record.game, *values)


def metrics_rows(records: Iterable[Record], definition: str = "paper", clip: bool = False) -> Iterator[Metrics]:
    """The metrics of all records, in their order."""
    pool = EnvPool()
    for record in records:
        found = metrics_of(record, definition, pool)
        yield found.clipped() if clip else found


def write_metrics(rows: Iterable[Metrics], file: IO[str]) -> int:
    """Writes the table as CSV, with plain line ends; returns the number of matches."""
    table, count = csv.writer(file, lineterminator="\n"), 0
    table.writerow(Metrics._fields)
    for count, row in enumerate(rows, start=1):  # noqa: B007
        table.writerow(row.cells())
    return count
