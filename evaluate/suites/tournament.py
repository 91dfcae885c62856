"""Designs of one game: round robin, players against opponents, or players against a pool in held-out settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines import load_files
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import OBJECTIVE, SELF_GAIN, Flag, Option, short_repr
from econzoo.evaluate.analyses.ceilings import share_table, shares
from econzoo.evaluate.analyses.summary import grids, summarize, tables
from econzoo.evaluate.run import DEFAULT, Design, Setting, new_design, parse_lineups, pool_settings, read_records
from econzoo.evaluate.show import Page, Part, Text
from econzoo.evaluate.suites.ceiling import ceiling as find_ceiling
from econzoo.evaluate.suites.evaluation import SEEDS as SEEDS_OF_POOL
from econzoo.evaluate.suites.evaluation import TEST_POOL_NOTICE, evaluation_design
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

SEEDS = 10
"""Default seeds per line-up and setting in a round robin."""


def tournament_of(game: str) -> Callable[..., Suite]:
    """The suite of a game; see `tournament`."""

    # Its signature declares the options of the suite.
    @wraps(tournament)
    def of_game(asked: SuiteRequest, **options: Any) -> Suite:
        return tournament(game, asked, **options)

    return of_game


def tournament(
    game: str,
    request: SuiteRequest,
    *,
    objective: Annotated[str, Option(OBJECTIVE, "Objective by which players are ranked.")] = SELF_GAIN,
    ceiling: Annotated[bool, Option(Flag(), "Show the maximum attainable gain and each player's share of it.")] = False,
    scripts: Annotated[bool, Option(Flag(), "With --ceiling: also report the best scripted baseline.")] = True,
) -> Suite:
    """Tournament of one game: every pair in every setting with the same seeds, in every seat that a player can take.

    With a pool, players meet its members instead of each other, in validation or test settings and with seeds that
    training does not use.
    """
    # With a pool the design adds the reader, to the members of the pool as well.
    request = replace(request, opponents=load_files(game, request.opponents))
    wanted = request if request.pool else request.with_readers(game)
    settings, (options, _) = wanted.resolve_settings(game), wanted.params()
    if ceiling and not wanted.players:
        return Suite({}, page=lambda out, jobs: _ceiling(game, wanted, settings, scripts, jobs))
    if wanted.pool and wanted.opponents:
        raise ValueError("--pool cannot be combined with --opponents")
    if ceiling and len(wanted.players) > 1:
        raise ValueError(f"invalid players={short_repr(wanted.players)}: --ceiling takes one player or none")
    more = {"lineups": parse_lineups(wanted.lineups), "objective": objective, **options}
    if wanted.pool:
        how = (settings, wanted.seeds or SEEDS_OF_POOL, wanted.pool)
        design = evaluation_design(game, wanted.players, (), *how, reader=wanted.reader, **more)
    else:
        met, seeds = settings or (DEFAULT,), wanted.seeds or SEEDS
        design = new_design(game, wanted.players, met, seeds, wanted.opponents, **more)
    if len(wanted.players) == 1 and not (wanted.pool or wanted.opponents or wanted.lineups):
        expected = "expected several, --pool, --opponents, or --lineups 'PLAYER | PLAYER' (one player per seat)"
        raise ValueError(f"invalid players={short_repr(wanted.players)}: {expected}")
    lines = [TEST_POOL_NOTICE] if wanted.pool == "test" else []
    return Suite({".": design}, lines=lines, page=lambda out, jobs: _results(design, out, ceiling))


def _ceiling(game: str, request: SuiteRequest, settings: list[Setting], scripts: bool, jobs: int | None) -> Page:
    among = request.pool or "validation"
    chosen = settings or pool_settings(find_game(game), among)
    found = find_ceiling(game, among, chosen, request.opponents, request.seeds or 1, scripts, jobs)
    return Page("ceiling", game, [found.table()])


def _results(design: Design, out: Path, ceiling: bool) -> Page:
    """The summary's tables that need only core dependencies, and the shares of the ceiling."""
    summary = summarize(read_records(out))
    parts: list[Part] = [*tables.ranking(summary), *tables.conduct(summary), *grids.cross_play(summary)]
    found = shares(design, summary) if ceiling else {}
    if ceiling:
        unknown = Text(f"No ceiling is known for {design.game} and these opponents.")
        parts.append(share_table(found) if found else unknown)
    parts += tables.notes(summary)
    return Page("summary", design.game, parts, numbers=summary.to_dict() | ({"ceiling": found} if found else {}))
