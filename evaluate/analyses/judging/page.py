"""The report of judgements as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from econzoo.envs.core.record.labelled import label_together
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.description import played_of
from econzoo.evaluate.analyses.judging.console import text_tables
from econzoo.evaluate.analyses.judging.report import Report
from econzoo.evaluate.analyses.page import Page, new_page

HERE = "econzoo.evaluate.analyses.judging"


def page(found: Report, title: str, records: Sequence[Record] = (), folders: Iterable[Path] = ()) -> Page:
    """The page of judgements.

    Args:
        found: What came out.
        title: Heading.
        records: The matches that were judged, where they are at hand.
        folders: Of the matches.
    """
    label_together(records)
    return new_page(
        "judging.html",
        title,
        HERE,
        played=played_of(records),
        folders=folders,
        rubric=found.rubric,
        items=found.items,
        judges=len(found.judges),
        parts=text_tables(found),
    )
