"""One player against the standard pool of a game, in markets and with seeds that training has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines.factory import partners
from econzoo.baselines.pools import pool
from econzoo.baselines.reader_option import check_reader, with_reader
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.frame import SELF_GAIN
from econzoo.evaluate.analyses.summary.summary import Summary, summarize
from econzoo.evaluate.run.failures import failed_in, none_ended
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.plan import Plan, new_plan
from econzoo.evaluate.run.settings import FIRST_SEED, Market, split
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.run.tournament import Told, play_all, run


def checkpoint_plan(
    spec: str,
    game_name: str,
    opponents: Sequence[str] = (),
    markets: Iterable[str | Mapping[str, Any] | Market] = (),
    seeds: int = 5,
    among: str = "standard",
    reader: str | None = None,
    **options: Any,
) -> Plan:
    """The plan of an evaluation.

    Args:
        spec: The player that is evaluated.
        game_name: The game.
        opponents: Specs; empty: those of a pool that can sit with it.
        markets: See `new_plan`; empty: the game's validation markets, or those of the test with its pool.
        seeds: How many, from `FIRST_SEED` on.
        among: The pool, of `POOLS`, if there are no opponents.
        reader: See `econzoo.baselines.reader_option.with_reader`.
        **options: See `new_plan`.

    Raises:
        ValueError: The pool is unknown, or see `new_plan`.
    """
    numbers = range(FIRST_SEED, FIRST_SEED + seeds)
    met = opponents or partners(spec, game_name, pool(game_name, among))
    settings = list(markets) or split(find_game(game_name), among)
    check_reader(reader, [spec, *met], game_name)
    spec, *met = with_reader([spec, *met], game_name, reader)
    return new_plan(game_name, [spec], settings, numbers, opponents=met, **options)


def evaluate_plan(
    plan: Plan,
    folder: str | Path | None = None,
    jobs: int | None = None,
    told: Told = lambda done: None,
    todo: Sequence[Match] | None = None,
    objective: str = SELF_GAIN,
) -> Summary:
    """Plays a plan and sums it up.

    Args:
        plan: See `checkpoint_plan`.
        folder: Keeps the records, and those that are there already are not played again; None: nothing is kept.
        jobs: See `econzoo.evaluate.run.tournament.run`.
        told: Called with the number of matches that have just ended.
        todo: The matches to play, if not all that are missing in the folder.
        objective: See `summarize`.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
    """
    if folder is None:
        return summarize(play_all(plan, jobs, told), plan, objective=objective)
    run(plan, folder, jobs, told=told, todo=todo)
    records, unreadable = read_folder(folder)
    ids = {match.id for match in plan.matches()}
    ended = [record for record in records if record.id in ids]
    if not ended:
        none_ended(failed_in(Path(folder), ()))
    return summarize(ended, plan, unreadable=unreadable, objective=objective)
