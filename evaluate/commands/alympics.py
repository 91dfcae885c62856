"""``econzoo import-alympics``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Json
from econzoo.evaluate.show.files import json_of
from econzoo.evaluate.show.terminal import show


def import_alympics(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A published game, or a folder or zip searched for *.json.")
    ],
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

    Example: econzoo import-alympics Alympics/exp/WAC/records.zip --out alympics.jsonl
    """
    need("import-alympics", "scipy")
    from econzoo.evaluate.analyses.alympics.water_table import published_tables
    from econzoo.evaluate.formats.alympics.importing import MODEL, import_games

    done = import_games(path, out, player or MODEL, keep)
    tables = published_tables(done.games) if done.games else []
    if as_json:
        print(json.dumps({**done.to_dict(), **json_of(tables)}, indent=2))
    else:
        show(tables)
        print("\n".join(done.lines()))
    if done.failed:
        raise typer.Exit(1)
