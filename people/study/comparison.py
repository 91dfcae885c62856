"""Compare people with models in the same situation: game, parameters, seat and other players.

A cell is a situation. For each model, the difference is the coefficient of an indicator for people in a regression of
the measure with cell fixed effects, over cells with both people and the model. It equals the within-cell differences
weighted by ``n m / (n + m)``, with `n` observations of people and `m` of the model. Clusters are the independent groups
of a study (``seats.csv``), and matches elsewhere. Standard errors are CR2 with degrees of freedom under equal variances
(Bell and McCaffrey 2002; Pustejovsky and Tipton 2018), see `econzoo.evaluate.stats.clustered_errors`.

Excluded are seats whose player missed a move, left, or was replaced, because default actions and substitutes are not
theirs, and failed matches.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from econzoo.baselines import is_person
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.record import Record, identity
from econzoo.evaluate.analyses import split_by_result
from econzoo.evaluate.run import read_folder
from econzoo.evaluate.show import COUNT, TEXT, Column, Table
from econzoo.evaluate.stats import CONFIDENCE, MIN_CLUSTERS, Interval, bias_reduced_errors, nan_if_none
from econzoo.people.study.expected_earnings import load_groups
from econzoo.people.study.roster import has_no_absence

GAIN, EFFICIENCY, FAIRNESS = MEASURES = ("self_gain", "efficiency", "fairness")

HUMAN = "human"

Cell = tuple[object, ...]
"""A situation: (game, parameters, seat, other players)."""


class SeatObservation(NamedTuple):
    """A seat in a match.

    Attributes:
        who: `HUMAN`, or the label of a model.
        cluster: Independent group, or match.
        values: Measure to its value; NaN: undefined.
    """

    who: str
    cell: Cell
    cluster: str
    values: Mapping[str, float]


class ModelComparison(NamedTuple):
    """Comparison of people with one model in one measure.

    Attributes:
        situations: Number of situations in which both played.
        people: Observations of people in these situations.
        matches: Observations of the model.
        person_mean: Mean of people, with the weights of the difference.
        player_mean: Mean of the model, with the same weights.
        difference: People minus model; no interval if there are too few clusters.
    """

    player: str
    measure: str
    situations: int
    people: int
    matches: int
    person_mean: float
    player_mean: float
    difference: Interval


def people_against_models(
    folders: Iterable[str | Path], without_result: list[Record] | None = None
) -> list[ModelComparison]:
    """Compare people with every model that played in the same situations.

    Args:
        folders: Folders of records of people and models, in any order; duplicate matches count once.
        without_result: Extended by the excluded matches without result.
    """
    folders = list(folders)
    records = {record.id: record for folder in folders for record in read_folder(folder)[0]}
    if without_result is not None:
        without_result += split_by_result(records.values())[1]
    groups = {match: group for folder in folders for match, group in load_groups(folder).items()}
    rows = [row for record in records.values() for row in seat_observations(record, groups.get(record.id, record.id))]
    models = sorted({row.who for row in rows} - {HUMAN})
    if not any(row.who == HUMAN for row in rows):
        raise ValueError("no person played in these records: expected an exported study and records of models")
    comparisons = [
        one for model in models for measure in MEASURES if (one := compare_with_model(rows, model, measure)) is not None
    ]
    if not comparisons:
        raise ValueError(
            "no common situations: expected models in the settings and seats of people, with the same players"
        )
    return comparisons


def seat_observations(record: Record, cluster: str) -> Iterator[SeatObservation]:
    """Yield the seats whose own player made all moves of a match with a result."""
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
    """Compare people with one model in one measure; None: no common situation."""
    known = [row for row in rows if row.who in (HUMAN, model) and math.isfinite(row.values[measure])]
    counts: dict[Cell, Counter[str]] = defaultdict(Counter)
    for row in known:
        counts[row.cell][row.who] += 1
    both = {cell: place for place, cell in enumerate(cell for cell, count in counts.items() if len(count) == 2)}
    used = [row for row in known if row.cell in both]
    if not used:
        return None
    people = sum(row.who == HUMAN for row in used)
    # The weights of the regression, so that the two means differ by its coefficient.
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
    """Return the coefficient of the indicator for people, with cell fixed effects, and its interval."""
    matrix = np.zeros((len(used), 1 + len(cells)))
    matrix[:, 0] = [row.who == HUMAN for row in used]
    matrix[np.arange(len(used)), [1 + cells[row.cell] for row in used]] = 1.0
    values = np.array([row.values[measure] for row in used])
    fitted = np.linalg.lstsq(matrix, values, rcond=None)[0]
    residuals = (values - matrix @ fitted)[:, None]
    clusters = np.unique([row.cluster for row in used], return_inverse=True)[1].ravel()
    mean = float(fitted[0])
    # Without residuals there is no variation from which to estimate an error.
    if clusters.max() + 1 < MIN_CLUSTERS or np.abs(residuals).max() < 1e-12:
        return Interval(mean, math.nan, math.nan, len(used))
    errors = bias_reduced_errors(matrix, residuals, clusters)
    error, freedom = float(errors.error[0, 0]), float(errors.freedom[0, 0])
    if not (error > 0 and freedom > 0):
        return Interval(mean, math.nan, math.nan, len(used))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return Interval(mean, mean - half, mean + half, len(used))


def comparison_table(found: Sequence[ModelComparison]) -> Table:
    """Return the comparison as a table for the terminal."""
    columns = [
        Column("player", kind=TEXT),
        Column("measure", "what", kind=TEXT),
        *(Column(name, kind=COUNT) for name in ("situations", "people", "matches")),
        *(
            Column("person_mean", "people's"),
            Column("player_mean", "its own"),
            Column("difference", show_interval=True),
        ),
    ]
    rows = [
        [
            *(one.player, one.measure.replace("_", " "), one.situations, one.people, one.matches),
            *(one.person_mean, one.player_mean, one.difference),
        ]
        for one in found
    ]
    note = (
        "people: observations of people in situations (game, parameters, seat, others) in which the player was too; "
        "matches: observations of the player. Differences: people minus player, within situations."
    )
    return Table("people", "People against models in matched settings", columns, rows, note)


HEADS = (*ModelComparison._fields, "low", "high")
"""CSV columns of the comparison."""


def comparison_rows(found: Iterable[ModelComparison]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the CSV file."""
    for one in found:
        yield (*one[:-1], one.difference.mean, one.difference.low, one.difference.high)
