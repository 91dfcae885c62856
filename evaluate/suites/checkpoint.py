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
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.failures import failed_in, none_ended
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.settings import FIRST_SEED, Market, split
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.run.tournament import Told, play_all, run


def checkpoint_design(
    spec: str,
    game_name: str,
    opponents: Sequence[str] = (),
    markets: Iterable[str | Mapping[str, Any] | Market] = (),
    seeds: int = 5,
    among: str = "standard",
    reader: str | None = None,
    **options: Any,
) -> Design:
    """The design of an evaluation.

    Args:
        spec: The player that is evaluated.
        game_name: The game.
        opponents: Specs; empty: those of a pool that can sit with it.
        markets: See `new_design`; empty: the game's validation markets, or those of the test with its pool.
        seeds: How many, from `FIRST_SEED` on.
        among: The pool, of `POOLS`, if there are no opponents.
        reader: See `econzoo.baselines.reader_option.with_reader`.
        **options: See `new_design`.

    Raises:
        ValueError: The pool is unknown, or see `new_design`.
    """
    numbers = range(FIRST_SEED, FIRST_SEED + seeds)
    met = opponents or partners(spec, game_name, pool(game_name, among))
    settings = list(markets) or split(find_game(game_name), among)
    check_reader(reader, [spec, *met], game_name)
    spec, *met = with_reader([spec, *met], game_name, reader)
    return new_design(game_name, [spec], settings, numbers, opponents=met, **options)


def evaluate_design(
    design: Design,
    folder: str | Path | None = None,
    jobs: int | None = None,
    told: Told = lambda done: None,
    todo: Sequence[Match] | None = None,
    objective: str = SELF_GAIN,
) -> Summary:
    """Plays a design and sums it up.

    Args:
        design: See `checkpoint_design`.
        folder: Keeps the records, and those that are there already are not played again; None: nothing is kept.
        jobs: See `econzoo.evaluate.run.tournament.run`.
        told: Called with the number of matches that have just ended.
        todo: The matches to play, if not all that are missing in the folder.
        objective: See `summarize`.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
    """
    if folder is None:
        return summarize(play_all(design, jobs, told), design, objective=objective)
    run(design, folder, jobs, told=told, todo=todo)
    records, unreadable = read_folder(folder)
    ids = {match.id for match in design.matches()}
    ended = [record for record in records if record.id in ids]
    if not ended:
        none_ended(failed_in(Path(folder), ()))
    return summarize(ended, design, unreadable=unreadable, objective=objective)
