"""``sparc.html``: the scores as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from econzoo.evaluate.analyses.description import played_in
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.analyses.sparc.score_table import Found, named, sections, told_of_cuts
from econzoo.evaluate.analyses.sparc.scores import Key, Scores
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import visible

HERE = "econzoo.evaluate.analyses.sparc"

COLUMNS = {
    "accuracy": "accuracy",
    "balanced": "balanced accuracy",
    "f1": "F1",
    "brier": "Brier score",
    "log_score": "log score",
    "expected": "acc., fresh match",
    "failed_wrong": "acc., failed as wrong",
}
"""Measure to the head of its column."""


def page(found: Found, absent: list[str], plan: Plan, folder: Path, differences: Sequence[TextTable] = ()) -> Page:
    """The page of the scores.

    Args:
        found: Scores.
        absent: Baselines that could not play.
        plan: What was asked.
        folder: Of the answers.
        differences: How far readers are behind the best one.
    """
    missing = [f"{spec} did not play: it needs the Axelrod library." for spec in absent]
    return new_page(
        "sparc.html",
        "SPARC: will this program cooperate?",
        HERE,
        played=played_in(plan),
        folders=[folder],
        sentences=[*told_of_cuts(found).splitlines(), *missing],
        readers=len({key[:2] for key in found}),
        answers=sum(parts["all"].answers for parts in found.values()),
        failed=sum(parts["all"].failed for parts in found.values()),
        tables=[{"title": title, "rows": [_row(*row) for row in rows]} for title, rows in sections(found)],
        heads=list(COLUMNS.values()),
        differences=differences,
    )


def _row(key: Key, one: Scores) -> dict[str, Any]:
    true_yes, false_yes, false_no, true_no = one.confusion
    return {
        "name": visible(named(key)),
        "measures": [one.measures[name] for name in COLUMNS],
        "failed": f"{one.failed}/{one.answers}",
        "yes": f"{true_yes:g} + {false_yes:g}",
        "no": f"{true_no:g} + {false_no:g}",
    }
