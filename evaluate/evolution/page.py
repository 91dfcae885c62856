"""``evolution.html``: a study as one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.evaluate.evolution.study import Study
from econzoo.evaluate.evolution.tables import tables
from econzoo.evaluate.figure_files import Drawn
from econzoo.evaluate.pages import Page, new_page

HERE = "econzoo.evaluate.evolution"


def page(found: Study, figures: Sequence[Drawn], title: str) -> Page:
    """The page of a study."""
    settings = found.settings
    return new_page(
        "evolution.html",
        title,
        HERE,
        types=len(found.matrix),
        points=len(found.rest.points),
        facts=[f"population {settings.population}", f"fitness: {found.fitness.told()}", f"seed {settings.seed}"],
        tables=tables(found),
        figures=figures,
    )
