"""Commands of this folder."""

from __future__ import annotations

import json
from textwrap import fill
from typing import Annotated, Any

import typer

from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import all_games, gymnasium_id, pettingzoo_id

WIDTH = 80
"""Of lines of text; ids are never cut."""


def games(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False) -> None:
    """List the games."""
    rows: list[dict[str, Any]] = [
        {
            "game": game.name,
            "seats": game.facts.seats,
            "moves": turns_of(game).called,
            "gymnasium": gymnasium_id(game.name, game.version),
            "pettingzoo": pettingzoo_id(game.name, game.version),
            "summary": game.summary,
        }
        for game in all_games()
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(f"{row['game']}: {many(row['seats'], 'seat')}, {row['moves']} moves")
        print(fill(str(row["summary"]), WIDTH, initial_indent="  ", subsequent_indent="  "))
        print(f"  Gymnasium  {row['gymnasium']}\n  PettingZoo {row['pettingzoo']}\n")
    print("More about one: econzoo show GAME")
