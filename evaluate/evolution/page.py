"""``evolution.html``: a study as one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from econzoo.evaluate.escapes import visible
from econzoo.evaluate.evolution.figures import Drawn
from econzoo.evaluate.evolution.study import Study
from econzoo.evaluate.evolution.tables import tables
from econzoo.evaluate.figures import to_svg
from econzoo.evaluate.pages import environment, template

PAGE = "evolution.html"
HERE = "econzoo.evaluate.evolution"


def write_page(found: Study, figures: Sequence[Drawn], folder: Path, title: str) -> Path:
    """Writes the page into a folder."""
    path = folder / PAGE
    path.write_text(page(found, figures, title), encoding="utf-8")
    return path


def page(found: Study, figures: Sequence[Drawn], title: str) -> str:
    """The page as text."""
    settings = found.settings
    return (
        environment(HERE)
        .get_template(PAGE)
        .render(
            title=visible(title),
            style=template("report.css"),
            script="",
            sentences=[],
            problems=[],
            types=len(found.matrix),
            points=len(found.rest.points),
            facts=[f"population {settings.population}", f"fitness: {found.fitness.told()}", f"seed {settings.seed}"],
            tables=tables(found),
            figures=[
                {"heading": one.heading, "note": one.note, "svg": to_svg(one.figure, one.heading)} for one in figures
            ],
        )
    )
