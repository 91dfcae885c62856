"""``econzoo ceiling``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from econzoo.evaluate.commands.options import Game, Jobs, Json, Markets, MarketsFile, Params


def ceiling(
    game: Game,
    pool: Annotated[str, typer.Option(help="Opponents: standard, training, validation or test.")] = "validation",
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of a pool, as often as needed; of ppo:FILE it says what the policy can be exploited for."
        ),
    ] = None,
    market: Markets = None,
    markets: MarketsFile = None,
    param: Params = None,
    seeds: Annotated[int, typer.Option(min=1, help="Matches of each script and opponent in each market and seat.")] = 1,
    scripts: Annotated[bool, typer.Option(help="Look for the best script.")] = True,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """What can be earned against a pool: by the best possible player, where that is known, and by the best script.

    Markets are those of the validation, or of the test for its pool, unless some are given.

    Examples: econzoo ceiling bargaining --pool standard | econzoo ceiling bargaining --opponent ppo:runs/first
    """
    from econzoo.envs.core.registry import game as find_game
    from econzoo.evaluate.analyses.ceilings.finding import ceiling as found_for
    from econzoo.evaluate.run.plan import chosen_markets
    from econzoo.evaluate.run.settings import split
    from econzoo.evaluate.show.terminal import show

    settings, _ = chosen_markets(game, market, markets, param)
    found = found_for(game, pool, settings or split(find_game(game), pool), opponent or (), seeds, scripts, jobs)
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
    else:
        show([found.table()])
