"""``econzoo replicate alympics``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Json


def alympics(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Published games (JSON, a folder, a zip) or records.")],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the table goes, as CSV and LaTeX.")] = None,
    as_json: Json = False,
) -> None:
    """Table 2 of ALYMPICS beside its published games: survival rates, survivors, RSR, and who lived in which game.

    Example: econzoo replicate alympics Alympics/exp/WAC/records.zip --out runs/table-2
    """
    need("replicate", "scipy")
    from econzoo.evaluate.analyses.alympics.published_games import read_beside
    from econzoo.evaluate.analyses.alympics.replication import table_2
    from econzoo.evaluate.analyses.alympics.run_grid import for_terminal, run_grids
    from econzoo.evaluate.analyses.alympics.water_games import grouped
    from econzoo.evaluate.analyses.alympics.water_table import setting_by_setting
    from econzoo.evaluate.analyses.comparison import tell

    found = read_beside([path])
    grids = run_grids(setting_by_setting(grouped(found.games)))
    comparison = table_2(found.games)
    comparison = comparison._replace(notes=[*comparison.notes, *found.problems, *found.notes])
    tell(comparison, out, as_json, [for_terminal(grid) for grid in grids])
