"""``econzoo channel``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Concurrent, Game, Jobs, Json, Markets, MarketsFile, Params, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.folder import wanted_folder
from econzoo.evaluate.run.plan import chosen_markets
from econzoo.evaluate.run.records import read_records
from econzoo.evaluate.run.settings import DEFAULT
from econzoo.evaluate.run.tournament import play_missing
from econzoo.evaluate.show.page import tell


def two(players: tuple[str, str]) -> tuple[str, str]:
    """Refuses an option that was taken for the second player."""
    for player in players:
        if player.startswith("-"):
            raise typer.BadParameter(f"it takes two players, A B, but {player} stands where a player should")
    return players


@budgeted
def channel(
    game: Game,
    players: Annotated[
        tuple[str, str], typer.Option(metavar="A B", callback=two, help="Two players; a player may meet itself.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the three arms; started again, it goes on.")],
    games: Annotated[int, typer.Option(min=1, help="Matches of each seating in each market: seeds 0, 1, 2, ...")] = 20,
    market: Markets = None,
    markets: MarketsFile = None,
    param: Params = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """What words are worth: the same matches with messages on, off, and on with the words in disorder.

    Example: econzoo channel bargaining --players hf:smollm2 fair --games 50 --out runs/words
    """
    need("channel", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.behaviour.channel import channel as analysis
    from econzoo.evaluate.analyses.behaviour.channel import channel_plans

    wanted_folder(out)
    settings, options = chosen_markets(game, market, markets, param)
    play_missing(channel_plans(game, players, settings or (DEFAULT,), games, **options), out, jobs, shard, concurrent)
    tell(analysis(read_records(out)), out, as_json)
