"""Analyses by name: each is a function from records to a `Page` of tables, figures and texts.

    records = read_records("runs/first")
    page = analyze(records, "regression", splits=100)
    page.show()
    page.write("runs/first")

An analysis neither plays nor renders. Its options are the keyword parameters of its function, each annotated with an
`econzoo.envs.core.contract.options.Option`; commands and configuration files take them from there.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.options import check_given
from econzoo.evaluate.run.records import Records, read_records
from econzoo.evaluate.show.page import Page

__all__ = ["ANALYSES", "analysis", "analyze"]

Analysis = Callable[..., Page]

HERE = "econzoo.evaluate.analyses"

ANALYSES: dict[str, tuple[str, str]] = {
    "summary": ("summary.page:summary", "Ranking, cross-play, theory, conduct, cost, learning; a page of each match."),
    "glee-metrics": ("glee_metrics:glee_metrics", "GLEE's metrics of every match."),
    "behaviour": ("behaviour.page:behaviour", "Anchoring, concessions, agreement, honesty, trust."),
}
"""Name to (``"module:function"`` in this package, one line of help)."""

SUMMARY = "summary"
"""The analysis that is made where none is named."""


def analysis(name: str) -> Analysis:
    """The function of an analysis.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in ANALYSES:
        raise ValueError(f"analysis {name!r} is not allowed; allowed: {', '.join(ANALYSES)}")
    module, _, function = ANALYSES[name][0].partition(":")
    found: Analysis = getattr(import_module(f"{HERE}.{module}"), function)
    return found


def analyze(records: Records | str | Path, name: str = SUMMARY, **options: Any) -> Page:
    """What records say.

    Args:
        records: The records, or their folder or file.
        name: Of `ANALYSES`.
        **options: Of the analysis.

    Raises:
        ValueError: The name or an option is not allowed, or no record can be used.
        FileNotFoundError: There are no records.
    """
    make = analysis(name)
    checked = check_given(name, make, options)
    return make(records if isinstance(records, Records) else read_records(records), **checked)
