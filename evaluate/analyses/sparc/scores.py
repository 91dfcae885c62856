"""Scores of answers about programs, with intervals over items.

The label of an item is a probability. An answer is on the right side if it and the label are both above or both below
one half; an answer of exactly one half is half right, and items whose label is one half are left out of what counts
sides (no label is one half today). Answers that could not be used are counted apart and are never taken for a "no".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from econzoo.envs.games.code_reading.items import items, numbers
from econzoo.envs.games.code_reading.rules import LEAST, MOST, score
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.stats.intervals import Interval
from econzoo.evaluate.stats.jackknife import over_clusters

MEASURES = ("accuracy", "expected", "failed_wrong", "balanced", "f1", "brier", "log_score")
"""``accuracy``: part of the usable answers on the right side. ``expected``: the same, expected over one fresh match for
each item, as the paper draws labels; no reader can expect more than the mean of max(label, 1 - label).
``failed_wrong``: accuracy with failed answers counted as wrong, as in the paper. ``balanced``: mean of the accuracies
among items of either side. ``f1``: of yes. ``brier``: mean squared difference of answer and outcome, expected over
the label; smaller is better. ``log_score``: mean payoff, in nats, at most 0."""

SHARES = ("accuracy", "failed_wrong")
"""Those that are shares of answers."""

MADE_OF_SHARES = ("balanced", "f1")
"""Those that lie between 0 and 1 as shares do, but vary otherwise."""

PARTS = ("all", "deterministic", "stochastic")

Key = tuple[str, str, str]
"""(player, prompt, variant)."""


class Scores(NamedTuple):
    """Scores of one player with one prompt on one variant, on some items.

    Attributes:
        answers: All, failed ones included.
        failed: Those that could not be used.
        cut: Those of them whose question was longer than what the model can read.
        confusion: Usable answers: said yes and is, said yes and is not, said no and is, said no and is not.
        measures: One interval for each of `MEASURES`.
    """

    answers: int
    failed: int
    cut: int
    confusion: tuple[float, float, float, float]
    measures: dict[str, Interval]


def scored(given: Iterable[Answer]) -> dict[Key, dict[str, Scores]]:
    """The scores of every player, prompt and variant, for each of `PARTS` that has items.

    Args:
        given: See `econzoo.evaluate.analyses.sparc.answers.answers`.
    """
    groups: dict[Key, list[Answer]] = defaultdict(list)
    for one in given:
        groups[one.player, one.prompt, one.variant].append(one)
    return {
        key: {part: scores(own) for part in PARTS if (own := [a for a in found if _is_in(a, part)])}
        for key, found in groups.items()
    }


def _is_in(answer: Answer, part: str) -> bool:
    return part == "all" or items()[numbers()[answer.item]].stochastic == (part == "stochastic")


SUMS = ("count", "failed", "cut", "tp", "fp", "fn", "tn", "expected", "brier", "log")


def scores(given: Iterable[Answer]) -> Scores:
    """The scores of some answers; items are what is independent, so that several answers to one count as one."""
    by_item: dict[str, np.ndarray] = {}
    for one in given:
        by_item[one.item] = by_item.get(one.item, np.zeros(len(SUMS))) + counted(one)
    table = np.array(list(by_item.values()))
    total = table.sum(axis=0)
    alone = np.arange(len(table))

    def statistic(weights: np.ndarray) -> np.ndarray:
        found = measures(weights @ table)
        return np.stack([found[name] for name in MEASURES], axis=1)

    cases = [total[0] * (name in SHARES) if name not in MADE_OF_SHARES else np.inf for name in MEASURES]
    found = np.stack(over_clusters(statistic, alone, np.zeros_like(alone), np.array(cases)), axis=1).tolist()
    made = {name: Interval._make((*ends, len(table))) for name, ends in zip(MEASURES, found, strict=True)}
    confusion = tuple(float(total[SUMS.index(name)]) for name in ("tp", "fp", "fn", "tn"))
    return Scores(int(total[0]), int(total[1]), int(total[2]), confusion, made)  # type: ignore[arg-type]


def counted(one: Answer) -> np.ndarray:
    """What one answer adds to `SUMS`."""
    label = items()[numbers()[one.item]].label
    if one.probability is None:
        return np.array([1.0, 1.0, float(one.cut), *[0.0] * 7])
    said, kept = one.probability, min(max(one.probability, LEAST), MOST)
    yes = 0.5 if said == 0.5 else float(said > 0.5)
    is_yes, is_no = float(label > 0.5), float(label < 0.5)
    sides = yes * is_yes, yes * is_no, (1 - yes) * is_yes, (1 - yes) * is_no
    brier = label * (1 - said) ** 2 + (1 - label) * said**2
    return np.array([1.0, 0.0, 0.0, *sides, yes * label + (1 - yes) * (1 - label), brier, score(label, kept)])


def measures(sums: np.ndarray) -> Mapping[str, np.ndarray]:
    """The measures of rows of `SUMS`; NaN where there is nothing to divide by."""
    count, failed, _, tp, fp, fn, tn, expected, brier, log = sums.T.astype(float)
    usable = count - failed
    return {
        "accuracy": _over(tp + tn, tp + tn + fp + fn),
        "expected": _over(expected, usable),
        "failed_wrong": _over(tp + tn, tp + tn + fp + fn + failed),
        "balanced": (_over(tp, tp + fn) + _over(tn, tn + fp)) / 2,
        "f1": _over(2 * tp, 2 * tp + fp + fn),
        "brier": _over(brier, usable),
        "log_score": _over(log, usable),
    }


def _over(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)
