"""Players against a pool, in settings and with seeds that training has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines.factory import find_partners
from econzoo.baselines.pools import HELD_OUT_FAMILIES, candidates, members, pool
from econzoo.baselines.reader_option import add_reader, check_reader
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.budget import count_earlier_costs, has_prices
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.failures import failed_matches, raise_none_ended
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.match import CONCURRENT
from econzoo.evaluate.run.progress import exit_on_interrupt, progress_bar
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.run.settings import FIRST_SEED, Setting, pool_settings
from econzoo.evaluate.run.tournament import play_all, play_missing

TEST_POOL_NOTICE = (
    "The test pool is read: once for each result; choose nothing by it afterwards (see generalisation.md)"
)

SEEDS = 5
"""Seeds of each line-up in each setting."""


def evaluation_design(
    game_name: str,
    players: Sequence[str],
    opponents: Sequence[str] = (),
    settings: Iterable[str | Mapping[str, Any] | Setting] = (),
    seeds: int = SEEDS,
    pool_name: str = "standard",
    scripts: bool = False,
    reader: str | None = None,
    **options: Any,
) -> Design:
    """Every player meets every opponent in the same settings, seats and seeds.

    Args:
        game_name: The game.
        players: Specs of those that are evaluated.
        opponents: Specs, and names of families (`econzoo.baselines.pools.families`); empty: those of a pool. Of
            families and of a pool those that can sit with one of the players.
        settings: See `new_design`; empty: the game's validation settings, or those of the last test with its pool.
        seeds: How many, from `FIRST_SEED` on.
        pool_name: The pool, of `POOLS`, if there are no opponents.
        scripts: Whether all scripts of `candidates` that can sit with the opponents play too.
        reader: See `econzoo.baselines.reader_option.add_reader`.
        **options: See `new_design`.

    Raises:
        ValueError: The pool is unknown, or see `new_design`.
    """
    known = members(game_name, opponents, HELD_OUT_FAMILIES) or pool(game_name, pool_name)
    met = [one for one in known if one in opponents or any(find_partners(spec, game_name, [one]) for spec in players)]
    if not met:
        whom = ", ".join(opponents) or f"the pool {pool_name!r}"
        raise ValueError(f"nobody of {whom} can sit with {', '.join(players)}; it has {', '.join(known)}")
    check_reader(reader, [*players, *met], game_name)
    players, met = (add_reader(specs, game_name, reader) for specs in (players, met))
    others = [one for one in candidates(game_name) if scripts and find_partners(one, game_name, met)]
    compared, markets = (
        list(dict.fromkeys([*players, *others])),
        list(settings) or pool_settings(find_game(game_name), pool_name),
    )
    return new_design(game_name, compared, markets, range(FIRST_SEED, FIRST_SEED + seeds), met, **options)


def play_evaluation(design: Design, out: Path | None, jobs: int | None) -> Records:
    """The matches of a design, played now or found in the folder, without those of other designs there.

    Args:
        design: What is played.
        out: Keeps the records; None: nothing is kept.
        jobs: See `econzoo.evaluate.run.tournament.run`.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
        ValueError: Matches cost money and are not kept.
    """
    if out is None:
        if has_prices(design.names()):
            raise ValueError("matches that cost money are kept: --out DIR")
        count_earlier_costs(out, design.names())
        with exit_on_interrupt(out), progress_bar("matches", len(design)) as told:
            return Records(play_all(design, jobs, told))
    play_missing({".": design}, out, jobs, "0/1", CONCURRENT)
    (records, unreadable), ids = read_folder(out), {match.id for match in design.matches()}
    ended = [record for record in records if record.id in ids]
    if not ended:
        raise_none_ended(failed_matches(out, ()))
    return Records(ended, out, unreadable)
