"""``programs.html``: one self-contained page of what programs are like and how they play."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.description import played_of
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.analyses.programs.figures import curves, round_figure
from econzoo.evaluate.analyses.programs.measured import Measured
from econzoo.evaluate.analyses.programs.opponents import heat_maps, pairs_table
from econzoo.evaluate.analyses.programs.strategy_tables import strategy_charts, strategy_tables
from econzoo.evaluate.analyses.programs.tables import tables
from econzoo.evaluate.analyses.programs.wording import DRAWN, SHARES, TITLES
from econzoo.evaluate.show.figures import to_svg

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.strategies import Judged

HERE = "econzoo.evaluate.analyses.programs"


def page(found: Measured, title: str, judged: Judged | None, folders: Iterable[Path] = ()) -> Page:
    """The page of what was measured.

    Args:
        found: What to show.
        title: Heading.
        judged: What judges said, if they were asked.
        folders: Of the matches.
    """
    return new_page(
        "programs.html",
        title,
        HERE,
        found.unreadable,
        played_of(found.records),
        folders,
        games=[_game(found, game) for game in found.games],
        judged=strategy_tables(judged) if judged else [],
        charts=strategy_charts(judged) if judged else [],
        left_out=found.left_out,
        unpaid=found.unpaid,
    )


def _game(found: Measured, game: str) -> dict[str, Any]:
    curved = {key: curves(found.means, game, key) for key in DRAWN}
    drawn = {
        TITLES[key]: round_figure(series, TITLES[key], key in SHARES or key.startswith("tree"), found.players(game))
        for key, series in curved.items()
        if max(map(len, series.values()), default=0) > 1
    }
    return {
        "name": game,
        "matches": found.matches[game],
        "tables": tables(found, game, pairs_table(found, game)),
        "maps": [(title, to_svg(figure, f"{title} in {game}")) for title, figure in heat_maps(found, game)],
        "curves": [(title, to_svg(figure, f"{title} over meta-rounds in {game}")) for title, figure in drawn.items()],
    }
