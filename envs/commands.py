"""Commands of this folder."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from econzoo.envs.core.registry import all_games, gymnasium_id, pettingzoo_id


def games(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False) -> None:
    """List the games."""
    rows = [
        {
            "game": game.name,
            "seats": game.facts.seats,
            "moves": "simultaneous" if game.facts.simultaneous else "alternating",
            "gymnasium": gymnasium_id(game.name, game.version),
            "pettingzoo": pettingzoo_id(game.name, game.version),
            "summary": game.summary,
        }
        for game in all_games()
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "seats", "moves", "ids", "what it is")
    for row in rows:
        ids = f"{row['gymnasium']}\n{row['pettingzoo']}"
        table.add_row(*(str(row[name]) for name in ("game", "seats", "moves")), ids, str(row["summary"]))
    Console().print(table)
