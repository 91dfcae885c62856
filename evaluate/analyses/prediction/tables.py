"""Tables and figures of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses.prediction.decisions import Decision
from econzoo.evaluate.analyses.prediction.predictors import FREQUENCY
from econzoo.evaluate.analyses.prediction.scores import ACCURACY, AUC, BIAS, BRIER, ECE, LOG_LOSS, MEASURES
from econzoo.evaluate.analyses.prediction.study import Task
from econzoo.evaluate.show import COUNT, RAW, READER_PLACES, TEXT, Column, Figure, Table, file_table, reliability_curves
from econzoo.evaluate.show import series_styles
from econzoo.evaluate.stats import bin_name

MIN_DECISIONS = 5
"""Minimum decisions of a plotted bin, unless all bins have fewer."""

COLUMNS = (
    Column(LOG_LOSS, show_interval=True, meaning="log loss: mean negative log-likelihood of the decision, in nats"),
    Column(BRIER, "Brier", meaning="Brier: mean squared error"),
    Column(ACCURACY, digits=2, meaning="accuracy: share of decisions predicted with a threshold of one half"),
    Column(AUC, "AUC", digits=2, meaning="AUC: area under the ROC curve"),
    Column(
        ECE, "calibration error", meaning="calibration error: expected calibration error with ten bins (biased upwards)"
    ),
    Column(BIAS, signed=True, meaning="bias: mean probability minus the share of yes"),
)

FAILED_COLUMN = Column("failed", kind=COUNT, meaning="failed: invalid answers, counted as a probability of one half")


def score_table(task: Task, over: str) -> Table:
    """Return the scores of every predictor, the lowest log loss first."""
    ranked = sorted(task.scores.items(), key=lambda one: one[1].measures[LOG_LOSS].mean)
    rows = [
        (name, *(one.measures[column.key] for column in COLUMNS), one.failure_count or None) for name, one in ranked
    ]
    yes = f"{yes_share(task.test):.0%} yes; trained on {len(task.train):,}, {yes_share(task.train):.0%} yes"
    title = f"{format_count(len(task.test), 'decision')}, {yes}"
    columns = [Column("predictor", kind=TEXT), *COLUMNS, FAILED_COLUMN]
    return Table(f"scores_{_file_key(task)}", title, columns, rows, f"Intervals {over}.", places=READER_PLACES)


def yes_share(decisions: Sequence[Decision]) -> float:
    return sum(one.yes for one in decisions) / len(decisions)


def gain_table(task: Task) -> Table:
    """Return the improvement of each predictor over the base rate."""
    columns = [
        Column("predictor", kind=TEXT),
        Column("gain", digits=3, signed=True, show_interval=True),
        Column("distinct", "Holm", TEXT),
    ]
    rows = [(name, gain, gain.distinct) for name, gain in sorted(task.gains.items(), key=lambda one: -one[1].mean)]
    note = (
        f"Log loss of {FREQUENCY} minus that of the predictor, paired by decision, in nats; positive if the predictor "
        "is better. Holm: significant after Holm's correction over the table."
    )
    return Table(
        f"gains_{_file_key(task)}", "Improvement over the base rate", columns, rows, note, places=READER_PLACES
    )


def reliability_figure(task: Task) -> Figure:
    """Return the reliability diagram: share of yes by predicted probability."""
    curves = {}
    for name, one in task.scores.items():
        # Shares of few decisions jump; but a predictor is shown even if all of its bins are small.
        frequent = {place: point for place, point in one.bins.items() if one.counts[place] >= MIN_DECISIONS}
        curves[name] = [point for _, point in sorted((frequent or one.bins).items())]
    yes = task.name.partition(": ")[2]
    drawing = reliability_curves(
        curves, series_styles(task.scores), f"predicted probability of {yes}", f"share of {yes}"
    )
    note = "Dashed line: perfect calibration. Each point is a tenth of the probabilities."
    return Figure(f"reliability_{_file_key(task)}", f"Calibration, {task.name}", note, drawing)


def _file_key(task: Task) -> str:
    return task.name.replace(": ", "_").replace(" ", "_")


def file_tables(tasks: Sequence[Task]) -> Iterator[Table]:
    """Yield all numbers as file tables."""
    heads = ("task", "predictor", "measure", "value", "low", "high", "decisions", "learned_from", "failed")
    yield file_table(
        "scores",
        heads,
        [
            (task.name, name, measure, *one.measures[measure], len(task.train), one.failure_count)
            for task in tasks
            for name, one in task.scores.items()
            for measure in MEASURES
        ],
    )
    gains = [(task.name, name, *gain) for task in tasks for name, gain in task.gains.items()]
    yield file_table("gains", ("task", "predictor", "gain", "low", "high", "distinct"), gains)
    bins = [
        (task.name, name, bin_name(place), mean, *share)
        for task in tasks
        for name, one in task.scores.items()
        for place, (mean, share) in sorted(one.bins.items())
    ]
    yield file_table(
        "calibration", ("task", "predictor", "bin", "probability", "yes", "low", "high", "decisions"), bins
    )
    yield file_table("predictions", PREDICTION_COLUMNS, list(_predictions(tasks)), RAW)


PREDICTION_COLUMNS = (
    *("task", "match", "turn", "role", "player", "person", "configuration", "cluster", "round", "yes"),
    *("predictor", "probability"),
)


def _predictions(tasks: Sequence[Task]) -> Iterator[tuple[object, ...]]:
    """One row per decision and predictor."""
    for task in tasks:
        for at, one in enumerate(task.test):
            who = (one.match, one.turn, one.role, one.player, one.person, one.configuration, one.cluster)
            for name, probabilities in task.probabilities.items():
                yield (task.name, *who, one.round, one.yes, name, float(probabilities[at]))
