"""``econzoo import-alympics``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.command_options import Json


def import_alympics(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A published game, or a folder searched for *.json.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File of records; games that it has are not added again.")],
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Of the model; default: the paper's.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Also games with days that are not as the rules have them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Turn ALYMPICS' published games of the Water Allocation Challenge into records.

    Every balance, health, no-water counter and list of winners is compared with our rules, day by day; days that differ
    are listed, and games with such a day are left out unless --keep is given. The exit code is 1 if a file is no game.

    Example: econzoo import-alympics Alympics/exp/WAC/records --out alympics.jsonl
    """
    need("import-alympics", "scipy")
    from econzoo.evaluate.alympics.importing import MODEL, import_games
    from econzoo.evaluate.alympics.indicator_table import for_terminal, to_dict
    from econzoo.evaluate.alympics.water_table import published_table
    from econzoo.evaluate.console import show

    done = import_games(path, out, player or MODEL, keep)
    table = published_table(done.games) if done.games else None
    if as_json:
        print(json.dumps({**done.to_dict(), "settings": to_dict(table) if table else []}, indent=2))
    else:
        if table:
            show(*for_terminal(table))
        print("\n".join(done.lines()))
    if done.failed:
        raise typer.Exit(1)
