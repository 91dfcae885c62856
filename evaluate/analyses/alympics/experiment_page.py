"""``experiment.html``: one self-contained page of an experiment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.alympics.indicator_table import Column, Row, span
from econzoo.evaluate.analyses.description import played_with
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.show.escapes import visible

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.alympics.results import Results
    from econzoo.evaluate.show.figure_files import Drawn


def page(found: Results, title: str, folders: Iterable[Path] = ()) -> Page:
    """The page of an experiment.

    Args:
        found: What to show.
        title: Heading.
        folders: Of the matches.
    """
    return new_page(
        "experiment.html",
        title,
        problems=found.problems,
        played=played_with(found.plan, found.game, found.beside.settings, found.beside.players),
        folders=folders,
        matches=found.played,
        plan=found.plan,
        beside=len(found.beside.games),
        notes=found.beside.notes,
        grids=found.made.grids,
        table=found.table,
        differences=found.made.differences,
        parts=[(part, [_shown(row, part) for row in found.table.rows]) for part in found.table.parts()],
        intervals=found.table.intervals,
        figures=_by_whom(found.made.figures),
    )


def _by_whom(drawn: Iterable[Drawn]) -> dict[str, list[Drawn]]:
    """Figures by whom they show, in their order."""
    found: dict[str, list[Drawn]] = {}
    for one in drawn:
        found.setdefault(one.about, []).append(one)
    return found


def _shown(row: Row, columns: list[Column]) -> dict[str, Any]:
    """A row as texts: each cell with its interval."""
    cells = [(row.text(one), span(row.cells.get(one.key), one)) for one in columns]
    return {
        "names": [visible(name) for name in row.names],
        "games": row.games,
        "cells": cells,
        "published": row.published,
    }
