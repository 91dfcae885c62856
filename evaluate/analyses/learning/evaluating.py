"""Plays policies and scripts in the same matches, for a table of learning."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines.factory import partners
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.pools import candidates, pool
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.frame import SELF_GAIN
from econzoo.evaluate.analyses.learning.files import plain, write
from econzoo.evaluate.analyses.learning.learning_table import LearningTable, learning_table
from econzoo.evaluate.analyses.learning.tables import learning_tables
from econzoo.evaluate.analyses.learning.trainings import Training
from econzoo.evaluate.analyses.training_exposure import Cells, cells, met_table, plain_cells
from econzoo.evaluate.run.budget import counting, has_prices
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.match import CONCURRENT
from econzoo.evaluate.run.progress import progress_bar, stoppable
from econzoo.evaluate.run.settings import FIRST_SEED, Market, split
from econzoo.evaluate.run.tournament import play_all, play_missing
from econzoo.evaluate.show.terminal import show


def learning_design(
    game_name: str,
    groups: Sequence[Training],
    opponents: Sequence[str] = (),
    markets: Iterable[str | Mapping[str, Any] | Market] = (),
    seeds: int = 5,
    among: str = "standard",
    scripts: bool = True,
    **options: Any,
) -> Design:
    """The design: every policy and every script meets every opponent in the same settings, seats and seeds.

    Args:
        game_name: The game.
        groups: The trainings.
        opponents: Specs; empty: those of a pool that can sit with the first policy.
        markets: See `new_design`; empty: the game's validation markets, or those of the test with its pool.
        seeds: How many, from `FIRST_SEED` on.
        among: The pool, of `POOLS`, if there are no opponents.
        scripts: Whether all scripts of `candidates` play too.
        **options: See `new_design`.

    Raises:
        ValueError: The pool is unknown, a policy plays another game, or see `new_design`.
    """
    policies = [spec for one in groups for spec in one.seeds]
    for spec in policies:
        make_player(spec, game_name)
    met = list(opponents) or partners(policies[0], game_name, pool(game_name, among))
    others = [one for one in candidates(game_name) if scripts and partners(one, game_name, met)]
    settings = list(markets) or split(find_game(game_name), among)
    numbers = range(FIRST_SEED, FIRST_SEED + seeds)
    return new_design(game_name, list(dict.fromkeys([*policies, *others])), settings, numbers, met, **options)


def played(design: Design, out: Path | None, jobs: int | None) -> list[Record]:
    """The matches of the design, played now or found in the folder.

    Raises:
        ValueError: Matches cost money and are not kept.
    """
    if out is None:
        if has_prices(design.names()):
            raise ValueError("matches that cost money are kept: --out DIR")
        counting(out, design.names())
        with stoppable(out), progress_bar("matches", len(design)) as told:
            return play_all(design, jobs, told)
    play_missing({".": design}, out, jobs, "0/1", CONCURRENT)
    ids = {match.id for match in design.matches()}
    return [record for record in read_folder(out)[0] if record.id in ids]


def met_by(groups: Sequence[Training], records: Sequence[Record]) -> Cells:
    """What all policies together have met in training of their matches; empty if that is not known."""
    found: Cells = {}
    for spec in [spec for one in groups for spec in one.seeds]:
        for key, counts in cells(spec, records).items():
            found[key] = found.get(key, Counter()) + counts
    return found


def evaluate_learning(
    groups: Sequence[Training],
    game_name: str,
    opponents: Sequence[str],
    among: str,
    markets: Sequence[Market],
    seeds: int,
    out: Path | None,
    jobs: int | None,
    objective: str = SELF_GAIN,
    ceiling: bool = False,
    scripts: bool = True,
    as_json: bool = False,
    by_seat: bool = False,
    **options: Any,
) -> None:
    """Plays, prints and keeps a table of learning; see `learning_design` and `learning_table`.

    Raises:
        ValueError: See there; or a share of the ceiling is asked for of another objective than the gain.
    """
    if ceiling and objective != SELF_GAIN:
        raise ValueError(f"--ceiling is not allowed with --objective {objective}; allowed: with {SELF_GAIN}")
    design = learning_design(game_name, groups, opponents, markets, seeds, among, scripts, **options)
    records = played(design, out, jobs)
    found = learning_table(design, records, groups, "given" if opponents else among, objective, ceiling, by_seat)
    written = write(found, out) if out else []
    _tell(found, met_by(groups, records), as_json)
    if written and not as_json:
        print("".join(f"written: {path}\n" for path in written), end="")


def _tell(found: LearningTable, met: Cells, as_json: bool) -> None:
    if as_json:
        beside = {"met_in_training": plain_cells(met)} if met else {}
        print(json.dumps({**plain(found), **beside}, indent=2))
        return
    show([*learning_tables(plain(found)), met_table(met)])
