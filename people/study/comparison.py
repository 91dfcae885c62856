"""People against models where both were in the same situation: game, parameters, seat, and whom they met.

A cell is such a situation. Of the cells in which both a person and a given model played, the difference is that of a
regression of the measure on being a person, with a constant for each cell: the differences within cells, weighted by
``n m / (n + m)`` of their numbers of people `n` and of matches of the model `m`. What people did in one independent
group of a study, as its ``seats.csv`` tells it, is one cluster; elsewhere a match is one. Errors are CR2 with degrees
of freedom under equal variances (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018), see
`econzoo.evaluate.stats.clustered_errors`.

Whoever missed a move, left, or was replaced in a match is left out of it: what a default action or a substitute earned
is not theirs. Matches that failed are left out, too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from econzoo.baselines.factory import is_person
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.record.values import to_plain
from econzoo.evaluate.analyses.missing_results import split_by_result
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.show.parts import COUNT, TEXT, Column, Table
from econzoo.evaluate.stats.clustered_errors import bias_reduced_errors
from econzoo.evaluate.stats.columns import nan_if_none
from econzoo.evaluate.stats.intervals import CONFIDENCE, MIN_CLUSTERS, Interval
from econzoo.people.study.expected_earnings import load_groups
from econzoo.people.study.roster import has_no_absence

GAIN, EFFICIENCY, FAIRNESS = MEASURES = ("self_gain", "efficiency", "fairness")
"""What people and models are compared in."""

HUMAN = "human"

Cell = tuple[object, ...]
"""A situation."""


class SeatObservation(NamedTuple):
    """Somebody in a match.

    Attributes:
        who: `HUMAN`, or the label of a model.
        cell: The situation.
        cluster: What is independent of other clusters.
        values: By measure; NaN where not defined.
    """

    who: str
    cell: Cell
    cluster: str
    values: Mapping[str, float]


class ModelComparison(NamedTuple):
    """People against a model.

    Attributes:
        model: Its label.
        measure: One of `MEASURES`.
        cells: Situations in which both played.
        people: How often a person was in one of them.
        matches: How often the model was.
        person_mean: Mean of people, weighted as the difference is.
        model_mean: Mean of the model.
        difference: The first minus the second; without interval where there are too few clusters.
    """

    model: str
    measure: str
    cells: int
    people: int
    matches: int
    person_mean: float
    model_mean: float
    difference: Interval


def people_against_models(
    folders: Iterable[str | Path], without_result: list[Record] | None = None
) -> list[ModelComparison]:
    """Compares people with every model that was in their place.

    Args:
        folders: Of records, people's and models', in any order; a match that stands in several counts once.
        without_result: Told of the matches that have none, and are left out.

    Raises:
        FileNotFoundError: A folder has no records.
        ValueError: No person was in any of the matches, or no model in the place of one.
    """
    folders = list(folders)
    records = {record.id: record for folder in folders for record in read_folder(folder)[0]}
    if without_result is not None:
        without_result += split_by_result(records.values())[1]
    groups = {match: group for folder in folders for match, group in load_groups(folder).items()}
    rows = [row for record in records.values() for row in seat_observations(record, groups.get(record.id, record.id))]
    models = sorted({row.who for row in rows} - {HUMAN})
    if not any(row.who == HUMAN for row in rows):
        raise ValueError("no person played in these records; allowed: an exported study, with records of models")
    found = [
        one for model in models for measure in MEASURES if (one := compare_with_model(rows, model, measure)) is not None
    ]
    if not found:
        raise ValueError(
            "no model was in the place of a person: allowed: models in the same settings, seats and company"
        )
    return found


def seat_observations(record: Record, cluster: str) -> Iterator[SeatObservation]:
    """Everybody in a match with a result who played to its end."""
    if not record.has_result:
        return
    who = [HUMAN if is_person(spec) else identity(spec) for spec in record.players]
    shared = {name: nan_if_none(record.metrics[name]) for name in (EFFICIENCY, FAIRNESS)}
    for seat, label in enumerate(record.labels):
        if has_no_absence(record, seat):
            others = tuple(who[:seat] + who[seat + 1 :])
            cell = (record.game, repr(sorted(to_plain(record.params).items())), seat, others)
            values = {GAIN: nan_if_none(record.metrics["gains"][seat]), **shared}
            yield SeatObservation(HUMAN if who[seat] == HUMAN else label, cell, cluster, values)


def compare_with_model(rows: Sequence[SeatObservation], model: str, measure: str) -> ModelComparison | None:
    """People against one model in one measure; None: they were never in the same situation."""
    known = [row for row in rows if row.who in (HUMAN, model) and math.isfinite(row.values[measure])]
    counts: dict[Cell, Counter[str]] = defaultdict(Counter)
    for row in known:
        counts[row.cell][row.who] += 1
    both = {cell: place for place, cell in enumerate(cell for cell, count in counts.items() if len(count) == 2)}
    used = [row for row in known if row.cell in both]
    if not used:
        return None
    people = sum(row.who == HUMAN for row in used)
    weight = {cell: counts[cell][HUMAN] * counts[cell][model] / counts[cell].total() for cell in both}
    total = sum(weight.values())
    share = {(cell, who): weight[cell] / total / counts[cell][who] for cell in both for who in (HUMAN, model)}
    means = {
        who: sum(share[row.cell, who] * row.values[measure] for row in used if row.who == who) for who in (HUMAN, model)
    }
    difference = _difference(used, both, measure)
    return ModelComparison(
        model, measure, len(both), people, len(used) - people, means[HUMAN], means[model], difference
    )


def _difference(used: Sequence[SeatObservation], cells: Mapping[Cell, int], measure: str) -> Interval:
    """The coefficient of being a person beside a constant for each cell, with its interval."""
    matrix = np.zeros((len(used), 1 + len(cells)))
    matrix[:, 0] = [row.who == HUMAN for row in used]
    matrix[np.arange(len(used)), [1 + cells[row.cell] for row in used]] = 1.0
    values = np.array([row.values[measure] for row in used])
    fitted = np.linalg.lstsq(matrix, values, rcond=None)[0]
    residuals = (values - matrix @ fitted)[:, None]
    clusters = np.unique([row.cluster for row in used], return_inverse=True)[1].ravel()
    mean = float(fitted[0])
    if clusters.max() + 1 < MIN_CLUSTERS or np.abs(residuals).max() < 1e-12:
        return Interval(mean, math.nan, math.nan, len(used))
    errors = bias_reduced_errors(matrix, residuals, clusters)
    error, freedom = float(errors.error[0, 0]), float(errors.freedom[0, 0])
    if not (error > 0 and freedom > 0):
        return Interval(mean, math.nan, math.nan, len(used))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return Interval(mean, mean - half, mean + half, len(used))


def comparison_table(found: Sequence[ModelComparison]) -> Table:
    """The comparison, for the terminal."""
    columns = [
        Column("player", kind=TEXT),
        Column("what", kind=TEXT),
        *(Column(name, kind=COUNT) for name in ("situations", "people", "matches")),
        *(Column("person", "people's"), Column("other", "its own"), Column("difference", show_interval=True)),
    ]
    rows = [
        [
            *(one.model, one.measure.replace("_", " "), one.cells, one.people, one.matches),
            *(one.person_mean, one.model_mean, one.difference),
        ]
        for one in found
    ]
    note = (
        "people: how often a person was in a situation (game, parameters, seat, others) in which the player was too; "
        "matches: how often the player was. Differences are people's minus the player's, within situations."
    )
    return Table("people", "People against models in matched settings", columns, rows, note)


HEADS = ("player", "measure", "situations", "people", "matches", "person", "other", "difference", "low", "high")
"""Columns of the comparison as CSV."""


def comparison_rows(found: Iterable[ModelComparison]) -> Iterator[tuple[object, ...]]:
    """The comparison as rows of a CSV file."""
    for one in found:
        yield (*one[:-1], one.difference.mean, one.difference.low, one.difference.high)
