"""Players against an opponent pool, in held-out settings and with held-out seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines import HELD_OUT_FAMILIES, add_reader, candidates, check_reader, find_partners, members, pool
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import FIRST_SEED, Design, FailedMatch, Records, Setting, count_previous_costs
from econzoo.evaluate.run import exit_on_interrupt, failed_matches, has_prices, new_design, play_all, play_missing
from econzoo.evaluate.run import pool_settings, progress_bar, raise_none_ended, read_folder

TEST_POOL_NOTICE = "Test pool: use it once per result and do not tune on it (see generalisation.md)"

SEEDS = 5
"""Default seeds per line-up and setting."""


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
    """Design in which every player meets every opponent in the same settings, seats and seeds.

    Args:
        opponents: Specs and family names (`econzoo.baselines.pools.families`); empty: the pool. Members of families
            and pools that can play with none of the players are left out.
        settings: See `new_design`; empty: the game's validation settings, or its test settings with the test pool.
    """
    known = members(game_name, opponents, HELD_OUT_FAMILIES) or pool(game_name, pool_name)
    # Opponents that are named are kept: if none of the players can meet one, the design says so.
    met = [one for one in known if one in opponents or any(find_partners(spec, game_name, [one]) for spec in players)]
    if not met:
        source = ", ".join(opponents) or f"pool {pool_name!r}"
        raise ValueError(f"no opponent of {source} can play with {', '.join(players)}: {', '.join(known)}")
    check_reader(reader, [*players, *met], game_name)
    players, met = (add_reader(specs, game_name, reader) for specs in (players, met))
    others = [one for one in candidates(game_name) if scripts and find_partners(one, game_name, met)]
    compared = list(dict.fromkeys([*players, *others]))
    chosen = list(settings) or pool_settings(find_game(game_name), pool_name)
    return new_design(game_name, compared, chosen, range(FIRST_SEED, FIRST_SEED + seeds), met, **options)


def play_evaluation(design: Design, out: Path | None, jobs: int | None) -> Records:
    """Play the missing matches of a design and return the records of all its matches.

    Args:
        out: Folder of the records; records of other designs there are ignored. None: records are not saved.
    """
    if out is None:
        # They could not be resumed.
        if has_prices(design.names()):
            raise ValueError("missing --out DIR: records of matches that cost money must be saved")
        count_previous_costs(out, design.names())
        played = 0

        def describe_loss() -> str:
            return f"{played:,} of {len(design):,} matches were played and are lost; --out DIR keeps them"

        with exit_on_interrupt(out, describe_loss), progress_bar("matches", len(design)) as show_progress:

            def advance(matches: int) -> None:
                nonlocal played
                played += matches
                show_progress(matches)

            failed: list[Record] = []
            records = play_all(design, jobs, advance, failed)
            return Records(records, unreadable=[FailedMatch(Path(), 0, str(one.reason), one) for one in failed])
    play_missing({".": design}, out, jobs, "0/1")
    # The folder may hold the evaluation of other players too.
    (records, unreadable), ids = read_folder(out), {match.id for match in design.matches()}
    ended = [record for record in records if record.id in ids]
    if not ended:
        raise_none_ended(failed_matches(out, ()))
    return Records(ended, out, [one for one in unreadable if one.record is None or one.record.id in ids])
