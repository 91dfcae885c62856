"""``experiment.html``: one self-contained page of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econzoo.evaluate.alympics.indicator_table import INTERVALS, Column, Row, span, text
from econzoo.evaluate.alympics.results import Results
from econzoo.evaluate.escapes import visible
from econzoo.evaluate.figures import to_svg
from econzoo.evaluate.pages import environment, template

PAGE = "experiment.html"


def write_page(found: Results, folder: str | Path) -> Path:
    """Writes the page into the folder of an experiment."""
    path = Path(folder) / PAGE
    path.write_text(page(found, f"{found.table.title}: {Path(folder).resolve().name}"), encoding="utf-8")
    return path


def page(found: Results, title: str) -> str:
    """The page as text."""
    return (
        environment()
        .get_template(PAGE)
        .render(
            title=visible(title),
            style=template("report.css"),
            script="",
            sentences=[],
            problems=[visible(one) for one in found.problems],
            played=found.played,
            planned=len(found.plan),
            lineups=len(found.plan.seatings()),
            settings=[market.name for market in found.plan.markets],
            table=found.table,
            parts=[(part, [_shown(row, part) for row in found.table.rows]) for part in found.table.parts()],
            intervals=INTERVALS,
            figures=[
                {"heading": visible(one.heading), "note": one.note, "svg": to_svg(one.figure, one.heading)}
                for one in found.figures
            ],
        )
    )


def _shown(row: Row, columns: list[Column]) -> dict[str, Any]:
    """A row as texts: each cell with its interval."""
    cells = [(text(row.cells.get(one.key), one), span(row.cells.get(one.key), one)) for one in columns]
    return {
        "names": [visible(name) for name in row.names],
        "games": row.games,
        "cells": cells,
        "published": row.published,
    }
