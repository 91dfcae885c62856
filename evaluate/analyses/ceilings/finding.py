"""The ceiling of a pool by its name."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.baselines import pools
from econzoo.baselines.factory import player
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.bounds import cells, solvable
from econzoo.evaluate.analyses.ceilings.ceiling import Ceiling
from econzoo.evaluate.run.settings import Market


def ceiling(
    game_name: str,
    pool: str,
    markets: Sequence[Market],
    opponents: Sequence[str] = (),
    seeds: int = 1,
    scripts: bool = True,
    jobs: int | None = None,
) -> Ceiling:
    """What can be earned against a pool.

    Args:
        game_name: The game.
        pool: One of `econzoo.baselines.pools.POOLS`.
        markets: The markets.
        opponents: Specs; empty: those of the pool.
        seeds: Matches of each pair of script and opponent in each market and seat.
        scripts: Whether to look for the best script.
        jobs: See `econzoo.evaluate.run.tournament.run`.

    Raises:
        ValueError: The game has no such pool, or one seat only.
    """
    from econzoo.evaluate.analyses.ceilings.scripts import best_scripts

    game, pool = find_game(game_name), "given" if opponents else pool
    if game.facts.seats < 2:
        raise ValueError(f"{game_name} has one seat, in which nobody is met; allowed: games with several")
    opponents = list(opponents) or pools.pool(game_name, pool)
    for spec in opponents:
        player(spec, game_name)
    answered = solvable(game, opponents)
    found = cells(game, answered, markets) if answered else []
    played = (
        best_scripts(game_name, opponents, answered or opponents, markets, seeds, jobs)
        if scripts or not found
        else None
    )
    return Ceiling(game_name, pool, opponents, len(markets), found, played)
