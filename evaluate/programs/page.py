"""``programs.html``: one self-contained page of what programs are like and how they play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from econzoo.evaluate.console import TextTable
from econzoo.evaluate.escapes import visible
from econzoo.evaluate.figures import to_svg
from econzoo.evaluate.pages import environment, template
from econzoo.evaluate.programs.figures import FIGURES, curves, round_figure
from econzoo.evaluate.programs.measured import Measured
from econzoo.evaluate.programs.tables import SHARES, TITLES, tables

PAGE = "programs.html"
HERE = "econzoo.evaluate.programs"


def write_page(found: Measured, folder: Path, title: str, judged: Sequence[TextTable]) -> Path:
    """Writes the page into a folder, which is made if it does not exist.

    Args:
        found: What to show.
        folder: Where.
        title: Heading.
        judged: Tables of what judges said.
    """
    path = folder / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(found, title, judged), encoding="utf-8")
    return path


def page(found: Measured, title: str, judged: Sequence[TextTable]) -> str:
    """The page as text."""
    return (
        environment(HERE)
        .get_template("programs.html")
        .render(
            title=visible(title),
            style=template("report.css"),
            script="",
            sentences=[],
            problems=[visible(str(one)) for one in found.unreadable],
            games=[_game(found, game) for game in found.games],
            judged=judged,
            left_out=found.left_out,
        )
    )


def _game(found: Measured, game: str) -> dict[str, Any]:
    drawn = {key: curves(found.means, game, key) for key in FIGURES}
    figures = [
        (
            TITLES[key],
            to_svg(
                round_figure(series, TITLES[key], key in SHARES or key.startswith("tree")), f"{TITLES[key]} in {game}"
            ),
        )
        for key, series in drawn.items()
        if max(map(len, series.values()), default=0) > 1
    ]
    return {"name": game, "matches": found.matches[game], "tables": tables(found, game), "figures": figures}
