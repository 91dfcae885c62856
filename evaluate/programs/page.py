"""``programs.html``: one self-contained page of what programs are like and how they play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.evaluate.console import TextTable
from econzoo.evaluate.figures import to_svg
from econzoo.evaluate.pages import Page, new_page
from econzoo.evaluate.programs.figures import FIGURES, curves, round_figure
from econzoo.evaluate.programs.measured import Measured
from econzoo.evaluate.programs.tables import SHARES, TITLES, tables

HERE = "econzoo.evaluate.programs"


def page(found: Measured, title: str, judged: Sequence[TextTable]) -> Page:
    """The page of what was measured.

    Args:
        found: What to show.
        title: Heading.
        judged: Tables of what judges said.
    """
    return new_page(
        "programs.html",
        title,
        HERE,
        found.unreadable,
        games=[_game(found, game) for game in found.games],
        judged=judged,
        left_out=found.left_out,
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
