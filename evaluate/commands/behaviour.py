"""Commands of this folder: ``econzoo behaviour`` and ``econzoo channel``."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from econzoo.baselines.models.journal import journal
from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import (
    Concurrent,
    Game,
    Jobs,
    Markets,
    MarketsFile,
    Params,
    Reader,
    Shard,
)
from econzoo.evaluate.run.budget import budgeted, counting
from econzoo.evaluate.run.plan import chosen_markets
from econzoo.evaluate.run.settings import DEFAULT
from econzoo.evaluate.show.csv_files import write_csv


@budgeted
def behaviour(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of records, or a file of them.")],
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="The CSV; default: behaviour.csv in --out.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of page and CSV; default: DIR.")] = None,
    reader: Reader = None,
) -> None:
    """How players behaved: anchoring, concessions, agreement, honesty, trust; a CSV and one HTML page.

    Reads records of bargaining, negotiation and persuasion, in any mixture.

    Example: econzoo behaviour runs/first --csv behaviour.csv
    """
    need("behaviour", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.behaviour.console import shown
    from econzoo.evaluate.analyses.behaviour.measures import read_behaviour
    from econzoo.evaluate.analyses.behaviour.page import page
    from econzoo.evaluate.analyses.behaviour.rows import Row
    from econzoo.evaluate.run.folder import wanted_folder
    from econzoo.evaluate.show.console import show

    into = wanted_folder(out) or (folder if folder.is_dir() else folder.parent)
    counting(None, [reader] if reader else [])
    with journal(into / "behaviour.csv"):
        found = read_behaviour(folder, reader)
    path = write_csv(csv or into / "behaviour.csv", Row._fields, found.rows)
    file = page(found, f"Behaviour: {folder.resolve().name}", [folder]).write(into)
    show(*shown(found))
    for line in found.unreadable[:5]:
        print(f"not read: {line}")
    print(f"All numbers are in {path}\nThe page is {file}")


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
) -> None:
    """What words are worth: the same matches with messages on, off, and on with the words in disorder.

    Example: econzoo channel bargaining --players hf:smollm2 fair --games 50 --out runs/words
    """
    need("channel", "pandas", "scipy")
    from econzoo.evaluate.analyses.behaviour.channel import Worth, channel_plans, read_arms, worth
    from econzoo.evaluate.analyses.behaviour.console import worth_tables
    from econzoo.evaluate.analyses.without_result import by_result, told_without_result
    from econzoo.evaluate.run.folder import wanted_folder
    from econzoo.evaluate.run.tournament import play_missing
    from econzoo.evaluate.show.console import show

    wanted_folder(out)
    settings, options = chosen_markets(game, market, markets, param)
    play_missing(channel_plans(game, players, settings or (DEFAULT,), games, **options), out, jobs, shard, concurrent)
    arms = read_arms(out)
    found = worth(arms)
    path = write_csv(out / "channel.csv", Worth._fields, found)
    cut = told_without_result(by_result(chain(*arms.values()))[1])
    show(*worth_tables(found), *filter(None, [cut]))
    print(f"All numbers are in {path}")
