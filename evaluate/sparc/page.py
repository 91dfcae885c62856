"""``sparc.html``: the scores as one page that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.evaluate.escapes import visible
from econzoo.evaluate.pages import environment, template
from econzoo.evaluate.sparc.score_table import Found, named, sections, told_of_cuts
from econzoo.evaluate.sparc.scores import Key, Scores

PAGE = "sparc.html"
HERE = "econzoo.evaluate.sparc"

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


def write_page(found: Found, folder: Path, absent: list[str]) -> Path:
    """Writes the page into a folder.

    Args:
        found: Scores.
        folder: Where.
        absent: Baselines that could not play.
    """
    path = folder / PAGE
    path.write_text(page(found, absent), encoding="utf-8")
    return path


def page(found: Found, absent: list[str]) -> str:
    """The page as text."""
    tables = [{"title": title, "rows": [_row(*row) for row in rows]} for title, rows in sections(found)]
    missing = [f"{spec} did not play: it needs the Axelrod library." for spec in absent]
    return (
        environment(HERE)
        .get_template(PAGE)
        .render(
            title="SPARC: will this program cooperate?",
            style=template("report.css"),
            script="",
            sentences=[*told_of_cuts(found).splitlines(), *missing],
            problems=[],
            readers=len({key[:2] for key in found}),
            answers=sum(parts["all"].answers for parts in found.values()),
            failed=sum(parts["all"].failed for parts in found.values()),
            tables=tables,
            heads=list(COLUMNS.values()),
        )
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
