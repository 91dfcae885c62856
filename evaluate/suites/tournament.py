"""The designs of one game: a round robin, players against opponents, players against a pool in held-out settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract.objectives import OBJECTIVE, SELF_GAIN
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.share import share_table, shares
from econzoo.evaluate.analyses.summary import grids, tables
from econzoo.evaluate.analyses.summary.summary import summarize
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.records import read_records
from econzoo.evaluate.run.seatings import parse_lineups
from econzoo.evaluate.run.settings import DEFAULT, Setting, pool_settings
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import Part, Text
from econzoo.evaluate.suites.ceiling import ceiling as find_ceiling
from econzoo.evaluate.suites.evaluation import SEEDS as SEEDS_OF_POOL
from econzoo.evaluate.suites.evaluation import TEST_POOL_NOTICE, evaluation_design
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

SEEDS = 10
"""Seeds of each line-up in each setting where players meet each other."""


def tournament_of(game: str) -> Callable[..., Suite]:
    """The suite of a game; see `tournament`."""

    @wraps(tournament)
    def of_game(asked: SuiteRequest, **options: Any) -> Suite:
        return tournament(game, asked, **options)

    return of_game


def tournament(
    game: str,
    request: SuiteRequest,
    *,
    objective: Annotated[str, Option(OBJECTIVE, "Objective by which players are ranked.")] = SELF_GAIN,
    ceiling: Annotated[bool, Option(Flag(), "Show what one player, or anybody, can earn at most.")] = False,
    scripts: Annotated[bool, Option(Flag(), "With --ceiling: look for the best script.")] = True,
) -> Suite:
    """Every pair in every setting with the same seeds, each player in every seat that it can take.

    With a pool the players meet its members instead of each other, in the settings that training never draws, or in
    those of the last test; seeds are none of training.

    Args:
        game: Its name.
        request: What is played.
        objective: Spec of the objective that ranks players.
        ceiling: Whether to show what the best possible player earns, where that is known.
        scripts: Whether to look for the best script beside it, where there are no players.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    wanted = request if request.pool else request.with_readers(game)
    settings, (options, _) = wanted.resolve_settings(game), wanted.params()
    if ceiling and not wanted.players:
        return Suite({}, page=lambda out, jobs: _ceiling(game, wanted, settings, scripts, jobs))
    if wanted.pool and wanted.opponents:
        raise ValueError("--pool is not allowed with --opponents")
    if ceiling and len(wanted.players) > 1:
        raise ValueError("--ceiling is not allowed with several players; allowed: one of them, or none")
    more = {"lineups": parse_lineups(wanted.lineups), "objective": objective, **options}
    if wanted.pool:
        how = (settings, wanted.seeds or SEEDS_OF_POOL, wanted.pool)
        design = evaluation_design(game, wanted.players, (), *how, reader=wanted.reader, **more)
    else:
        met, seeds = settings or (DEFAULT,), wanted.seeds or SEEDS
        design = new_design(game, wanted.players, met, seeds, wanted.opponents, **more)
    if len(wanted.players) == 1 and not (wanted.pool or wanted.opponents or wanted.lineups):
        told = "allowed: several, --pool, --opponents, or --lineups 'PLAYER | PLAYER', one for each seat"
        raise ValueError(f"players={short_repr(wanted.players)}: one player is no tournament; {told}")
    lines = [TEST_POOL_NOTICE] if wanted.pool == "test" else []
    return Suite({".": design}, lines=lines, page=lambda out, jobs: _results(design, out, ceiling))


def _ceiling(game: str, request: SuiteRequest, settings: list[Setting], scripts: bool, jobs: int | None) -> Page:
    among = request.pool or "validation"
    markets = settings or pool_settings(find_game(game), among)
    found = find_ceiling(game, among, markets, request.opponents, request.seeds or 1, scripts, jobs)
    return Page("ceiling", game, [found.table()])


def _results(design: Design, out: Path, ceiling: bool) -> Page:
    """The tables of the summary that need no further library, and the share of the ceiling."""
    summary = summarize(read_records(out))
    parts: list[Part] = [*tables.ranking(summary), *tables.conduct(summary), *grids.cross_play(summary)]
    found = shares(design, summary) if ceiling else {}
    if ceiling:
        unknown = Text(f"No ceiling is known for {design.game} and these opponents.")
        parts.append(share_table(found) if found else unknown)
    parts += tables.notes(summary)
    return Page("summary", design.game, parts, numbers=summary.to_dict() | ({"ceiling": found} if found else {}))
