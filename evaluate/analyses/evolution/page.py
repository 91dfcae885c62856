"""``evolution.html``: a study as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.analyses.evolution.tables import tables
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.show.figure_files import Drawn

HERE = "econzoo.evaluate.analyses.evolution"


def page(found: Study, figures: Sequence[Drawn], title: str, folders: Iterable[Path] = ()) -> Page:
    """The page of a study.

    Args:
        found: What to show.
        figures: Of it.
        title: Heading.
        folders: Of the matches.
    """
    settings = found.settings
    return new_page(
        "evolution.html",
        title,
        HERE,
        played=found.matrix.played,
        folders=folders,
        types=len(found.matrix),
        points=len(found.rest.points),
        facts=[f"population {settings.population}", f"fitness: {found.fitness.told()}", f"seed {settings.seed}"],
        tables=tables(found),
        figures=figures,
    )
