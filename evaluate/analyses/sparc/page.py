"""The analysis ``sparc``: scores of readers of programs, with intervals over items.

The label of an item is a probability. An answer is correct if it and the label are on the same side of one half; an
answer of exactly one half counts half, and items with label one half are excluded from accuracy (there are none).
Invalid answers are counted separately, never as a "no".
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from econzoo.baselines.code_reading import BASELINES
from econzoo.envs.core import format_count, missing_library_message
from econzoo.envs.games.code_reading.items import item_numbers, items
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY, score
from econzoo.evaluate.analyses import Case, describe, gap_table, group_gaps_to_best, played_games
from econzoo.evaluate.analyses.sparc.answers import GAME, Answer, answers
from econzoo.evaluate.analyses.sparc.item_view import item_tables
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import COUNT, HEADING, PAGE, READER_PLACES, TEXT, WARNING, Column, Figure, Page, Part, Table
from econzoo.evaluate.show import Text, file_table, method_section, replace_nan
from econzoo.evaluate.stats import Interval, jackknife_clusters

MEASURES = ("accuracy", "expected", "failed_wrong", "balanced", "f1", "brier", "log_score")
"""``accuracy``: share of valid answers on the correct side. ``expected``: its mean over one new match per
item, as the paper samples labels; at most the mean of max(label, 1 - label). ``failed_wrong``: accuracy with failed
answers counted as wrong, as in the paper. ``balanced``: mean accuracy of yes and no items. ``f1``: F1 score of yes.
``brier``: expected squared error over the label, lower is better. ``log_score``: mean payoff in nats, at most 0."""

RATIO_MEASURES = ("balanced", "f1")
"""Measures in [0, 1] that are not binomial shares."""

PARTS = ("all", "deterministic", "stochastic")

Key = tuple[str, str, str]
"""(player, prompt, variant)."""


class Scores(NamedTuple):
    """Scores of one player with one prompt on one variant, on some items."""

    answers: int
    failure_count: int
    cut_count: int
    confusion: tuple[float, float, float, float]
    measures: dict[str, Interval]


def score_groups(given: Iterable[Answer]) -> dict[Key, dict[str, Scores]]:
    """Return the scores of every player, prompt and variant, by part with items."""
    groups: dict[Key, list[Answer]] = defaultdict(list)
    for one in given:
        groups[one.player, one.prompt, one.variant].append(one)
    return {
        key: {part: scores(own) for part in PARTS if (own := [a for a in found if _belongs_to(a, part)])}
        for key, found in groups.items()
    }


def _belongs_to(answer: Answer, part: str) -> bool:
    return part == "all" or items()[item_numbers()[answer.item]].stochastic == (part == "stochastic")


SUMS = ("count", "failed", "cut", "tp", "fp", "fn", "tn", "expected", "brier", "log")


def scores(given: Iterable[Answer]) -> Scores:
    """Compute scores of answers, clustered by item."""
    by_item: dict[str, np.ndarray] = {}
    for one in given:
        # Answers about one item share its label and text: they are one cluster, of which only sums are needed.
        by_item[one.item] = by_item.get(one.item, np.zeros(len(SUMS))) + answer_sums(one)
    table = np.array(list(by_item.values()))
    total = table.sum(axis=0)
    clusters = np.arange(len(table))

    def statistic(weights: np.ndarray) -> np.ndarray:
        found = measures(weights @ table)
        return np.stack([found[name] for name in MEASURES], axis=1)

    # Numbers of cases of binomial shares; infinite for other measures in [0, 1], 0 for those that are no proportions.
    sided = sum(total[SUMS.index(name)] for name in ("tp", "fp", "fn", "tn"))
    shares = {"accuracy": sided, "failed_wrong": sided + total[1]}
    cases = [shares.get(name, 0.0) if name not in RATIO_MEASURES else np.inf for name in MEASURES]
    found = np.stack(jackknife_clusters(statistic, clusters, np.zeros_like(clusters), np.array(cases)), axis=1).tolist()
    intervals = {name: Interval._make((*ends, len(table))) for name, ends in zip(MEASURES, found, strict=True)}
    confusion = tuple(float(total[SUMS.index(name)]) for name in ("tp", "fp", "fn", "tn"))
    return Scores(int(total[0]), int(total[1]), int(total[2]), confusion, intervals)  # type: ignore[arg-type]


def answer_sums(one: Answer) -> np.ndarray:
    """Return the contribution of an answer to `SUMS`."""
    label = items()[item_numbers()[one.item]].label
    if one.probability is None:
        return np.array([1.0, 1.0, float(one.cut), *[0.0] * 7])
    probability, clipped = one.probability, min(max(one.probability, MIN_PROBABILITY), MAX_PROBABILITY)
    yes = 0.5 if probability == 0.5 else float(probability > 0.5)
    is_yes, is_no = float(label > 0.5), float(label < 0.5)  # both 0 for a label of one half, which has no side
    sides = yes * is_yes, yes * is_no, (1 - yes) * is_yes, (1 - yes) * is_no
    brier = label * (1 - probability) ** 2 + (1 - label) * probability**2
    return np.array([1.0, 0.0, 0.0, *sides, yes * label + (1 - yes) * (1 - label), brier, score(label, clipped)])


def measures(sums: np.ndarray) -> Mapping[str, np.ndarray]:
    """Compute the measures of rows of `SUMS`; NaN where undefined."""
    count, failed, _, tp, fp, fn, tn, expected, brier, log = sums.T.astype(float)
    valid = count - failed
    return {
        "accuracy": _divide(tp + tn, tp + tn + fp + fn),
        "expected": _divide(expected, valid),
        "failed_wrong": _divide(tp + tn, tp + tn + fp + fn + failed),
        "balanced": (_divide(tp, tp + fn) + _divide(tn, tn + fp)) / 2,
        "f1": _divide(2 * tp, 2 * tp + fp + fn),
        "brier": _divide(brier, valid),
        "log_score": _divide(log, valid),
    }


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


METHOD = (
    "The question is whether a strategy cooperates in all ten rounds with an unconditional cooperator. The label of an "
    "item is the probability of that. An answer is correct if it is on the same side of one half as the label; exactly "
    "one half counts half. Accuracy in a fresh match is bounded by the mean probability of the likelier outcome. The "
    "last columns are the confusion matrix.",
    "Failed answers are invalid, or follow a truncated question. They count only in the columns of failed answers, "
    "never as a no. Intervals are over items; a dash is an undefined value.",
    "Baselines: constant gives one answer for every program, first-move answers by the first move, static analyses the "
    "syntax tree, simulate runs the program.",
)

ScoresByKey = dict[Key, dict[str, Scores]]


def sparc(records: Records) -> Page:
    """Accuracy of players that predict whether a program cooperates."""
    given = answers(records)
    if not given:
        raise ValueError(f"no matches of {GAME}")
    found = score_groups(given)
    every = [own["all"] for own in found.values()]
    facts = [
        format_count(len({key[:2] for key in found}), "reader"),
        format_count(sum(one.answers for one in every), "answer"),
        f"{sum(one.failure_count for one in every)} failed",
    ]
    played = played_games((one for one in records if one.game == GAME), records.design)
    parts: list[Part] = [
        file_table("answers", Answer._fields, given),
        _score_table(found),
        *describe(played, [records.folder]),
    ]
    parts += _bars(found)
    for table in _reader_tables(found):
        parts += [Text(table.title, HEADING), table]
    parts += [Text("Items", HEADING), *item_tables(given)]
    differences = reader_differences(given)
    parts += [Text("Differences", HEADING), differences] if differences else []
    parts += [Text(text, WARNING) for text in _warnings(found)]
    parts += method_section(*METHOD)
    return Page("sparc", "SPARC: will this program cooperate?", parts, facts, records.unreadable)


BARS_NOTE = "All items, with 95% CIs over items. Dashed: chance."


def _bars(found: ScoresByKey) -> list[Part]:
    """Bar chart of accuracy, if matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return []
    from econzoo.evaluate.analyses.sparc.figures import accuracy_figure

    return [Text("Accuracy", HEADING), Figure("accuracy", "Accuracy", BARS_NOTE, accuracy_figure(_accuracies(found)))]


def _accuracies(found: ScoresByKey) -> dict[str, dict[str, Interval]]:
    """Reader to text to accuracy, sorted by the highest accuracy."""
    own: dict[str, dict[str, Interval]] = defaultdict(dict)
    for key, parts in found.items():
        own[name_of(key)][key[2]] = parts["all"].measures["accuracy"]
    return dict(sorted(own.items(), key=lambda one: -max(replace_nan(text.mean, -1.0) for text in one[1].values())))


def name_of(key: Key) -> str:
    """Return the display name of a reader with its prompt."""
    return f"{key[0]} (cot)" if key[1] == "chain-of-thought" else key[0]


def _warnings(found: ScoresByKey) -> Iterator[str]:
    for key, own in found.items():
        if own["all"].cut_count:
            yield (
                f"{name_of(key)}, {key[2]} text: {own['all'].cut_count} of {own['all'].failure_count} failed answers "
                "follow questions truncated to the context of the model."
            )
    absent = [spec for spec in BASELINES if spec not in {key[0] for key in found}]
    if len(absent) == 1:  # the other baselines played
        yield f"{absent[0]} did not play: {missing_library_message('it', 'axelrod')}"


# Tables in terminals and pages

CONFUSION = ("true_yes", "false_yes", "false_no", "true_no")

COLUMNS = (
    Column(
        "accuracy",
        digits=2,
        show_interval=True,
        meaning="accuracy: share of valid answers on the correct side of one half, with 95% CI over items",
    ),
    Column("balanced", digits=2, meaning="balanced: mean of the accuracies on yes items and no items"),
    Column("f1", "F1", digits=2, meaning="F1: F1 score of yes"),
    Column("brier", "Brier", digits=2, meaning="Brier: mean squared error (lower is better)"),
    Column("log_score", "log", digits=2, meaning="log: mean log score, the payoff, at most 0"),
    Column(
        "expected",
        "in a fresh match",
        digits=2,
        places=(PAGE,),
        meaning="in a fresh match: expected accuracy over one new match per item",
    ),
    Column("failed_wrong", "strict", digits=2, meaning="strict: accuracy with failed answers counted as wrong"),
)
"""Columns of measures."""

COUNTS = (
    Column("failed", kind=COUNT, meaning="failed: invalid answers, excluded from the scores"),
    Column("answers", kind=COUNT, places=(PAGE,)),
)


def _reader_tables(found: ScoresByKey) -> Iterator[Table]:
    """One table per variant and part of the items, the highest accuracy first."""
    for variant in dict.fromkeys(key[2] for key in found):
        for part in PARTS:
            rows = [(key, own[part]) for key, own in found.items() if key[2] == variant and part in own]
            rows.sort(key=lambda row: -replace_nan(row[1].measures["accuracy"].mean, -1.0))
            if rows:
                yield _reader_table(variant, part, rows)


def _reader_table(variant: str, part: str, rows: Sequence[tuple[Key, Scores]]) -> Table:
    halves = any(count % 1 for _, one in rows for count in one.confusion)
    counts = [Column(name, places=(PAGE,), digits=int(halves)) for name in CONFUSION]
    cells = [
        (
            name_of(key),
            *(one.measures[column.key] for column in COLUMNS),
            one.failure_count,
            one.answers,
            *one.confusion,
        )
        for key, one in rows
    ]
    title = f"{variant} text, {part} items ({rows[0][1].measures['accuracy'].rows})"
    note = "cot: chain of thought." if any(key[1] == "chain-of-thought" for key, _ in rows) else ""
    columns = [Column("reader", kind=TEXT), *COLUMNS, *COUNTS, *counts]
    return Table(f"scores_{variant}_{part}", title, columns, cells, note, places=READER_PLACES)


def reader_differences(given: Iterable[Answer]) -> Table:
    """Return paired differences in accuracy to the best reader of the same text."""
    cases = [
        Case(
            one.variant,
            name_of((one.player, one.prompt, one.variant)),
            one.item,
            _correctness(one.item, one.probability),
        )
        for one in given
    ]
    title = "Accuracy: gap to the best reader, paired by item"
    gaps = [(one[:3], one.gap) for one in group_gaps_to_best(cases)]
    return gap_table("gaps_to_best", title, ("text", "best", "reader"), gaps)


def _correctness(item: str, probability: float | None) -> float:
    """1 if an answer is on the side of the label, else 0; one half for one half; NaN if undefined."""
    label = items()[item_numbers()[item]].label
    if probability is None or label == 0.5:
        return math.nan
    return 0.5 if probability == 0.5 else float((probability > 0.5) == (label > 0.5))


# Tables in files


def _score_table(found: ScoresByKey) -> Table:
    """One row per player, prompt, variant, part and measure."""
    heads = ("player", "prompt", "variant", "items", "measure", "mean", "low", "high", "answers", "failed", "cut")
    rows = [
        [*key, part, name, *one.measures[name][:3], one.answers, one.failure_count, one.cut_count, *one.confusion]
        for key, parts in found.items()
        for part, one in parts.items()
        for name in MEASURES
    ]
    return file_table("scores", (*heads, *CONFUSION), rows)
