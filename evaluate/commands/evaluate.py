"""``econzoo evaluate``."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.pools import POOLS
from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, OneOf, OrNone, Whole
from econzoo.evaluate.analyses.ceilings.share import share_table, shares
from econzoo.evaluate.analyses.frame import OBJECTIVE, SELF_GAIN
from econzoo.evaluate.analyses.learning.evaluating import evaluate_learning
from econzoo.evaluate.analyses.learning.trainings import trainings
from econzoo.evaluate.analyses.summary.tables import checkpoint_parts
from econzoo.evaluate.analyses.training_exposure import cells, met_table, plain_cells
from econzoo.evaluate.run.budget import budgeted, counting, has_prices
from econzoo.evaluate.run.match import CONCURRENT
from econzoo.evaluate.run.progress import progress_bar, stoppable
from econzoo.evaluate.run.tournament import play_missing
from econzoo.evaluate.show.terminal import show
from econzoo.evaluate.suites.checkpoint import checkpoint_design, evaluate_design
from econzoo.evaluate.suites.suite import Asked
from econzoo.evaluate.suites.tournament import SEEDS_OF_POOL, TEST_IS_READ


@dataclass
class Evaluation(Asked):
    """One player against a pool, or the seeds of a training, in settings that training never draws, in every seat.

    Examples: econzoo evaluate ppo:runs/first --out runs/first/evaluation |
    econzoo evaluate ppo:runs/seeds --pool validation --ceiling
    """

    PANELS = ("", "Design")

    game: Annotated[
        str | None, Option(meaning="Game.", default="that of a trained policy, else bargaining", panel="Design")
    ] = None
    pool: Annotated[str | None, Option(OrNone(OneOf(*POOLS)), "Opponent pool.", panel="Design")] = "standard"
    objective: Annotated[str, Option(OBJECTIVE, "Objective by which players are ranked.")] = SELF_GAIN
    ceiling: Annotated[bool, Option(Flag(), "Show the share of what can be earned at most, where that is known.")] = (
        False
    )
    scripts: Annotated[
        bool | None, Option(OrNone(Flag()), "Play all scripts of the game too.", default="with several players")
    ] = None
    by_seat: Annotated[bool, Option(Flag(), "With --scripts: show each seat by itself too.")] = False
    out: Annotated[str | None, Option(meaning="Folder of the records; an evaluation that was stopped goes on.")] = None
    jobs: Annotated[int | None, Option(OrNone(Whole(1, 256)), "Processes for scripted players.")] = None
    json: Annotated[bool, Option(Flag(), "Print all numbers as JSON.")] = False

    def __post_init__(self) -> None:
        check_options(self)
        self.refuse("evaluate", "lineups")


def run(asked: Evaluation) -> str:
    """Plays and prints an evaluation.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    if not asked.players:
        raise ValueError("no player is given; allowed: a spec, several, or a folder with seed-0, seed-1, ...")
    among, out = asked.pool or "standard", Path(asked.out) if asked.out else None
    if among == "test" and not asked.opponents:
        print(TEST_IS_READ, file=sys.stderr)
    groups = trainings(asked.players)
    spec = next(iter(groups[0].seeds))
    name = asked.game or make_player(spec).plays or "bargaining"
    settings, (options, _) = asked.markets(name), asked.params()
    seeds = asked.seeds or SEEDS_OF_POOL
    if asked.scripts or sum(len(one.seeds) for one in groups) > 1:
        how = (asked.opponents, among, settings, seeds, out, asked.jobs, asked.objective, asked.ceiling)
        evaluate_learning(groups, name, *how, asked.scripts is not False, asked.json, asked.by_seat, **options)
        return ""
    if asked.by_seat:
        raise ValueError("--by-seat is not allowed without --scripts: the table of one player has its seats anyway")
    make_player(spec, name)
    design = checkpoint_design(spec, name, asked.opponents, settings, seeds, among, asked.reader, **options)
    if out is None and has_prices(design.names()):
        raise ValueError("matches that cost money are kept: --out DIR")
    if out is None:
        counting(out, design.names())
        with stoppable(out), progress_bar("matches", len(design)) as advance:
            summary = evaluate_design(design, out, asked.jobs, advance, objective=asked.objective)
    else:
        play_missing({".": design}, out, asked.jobs, "0/1", CONCURRENT)
        summary = evaluate_design(design, out, todo=(), objective=asked.objective)
    exposure, share = cells(design.players[0], summary.records), shares(design, summary) if asked.ceiling else {}
    if asked.json:
        beside = {"met_in_training": plain_cells(exposure)} if exposure else {}
        return json.dumps({**summary.to_dict(), **beside, **({"ceiling": share} if asked.ceiling else {})}, indent=2)
    unknown = f"No ceiling is known for {name} and this pool; --scripts shows what its scripts earn."
    told = [unknown] if asked.ceiling and not share else []
    show([*checkpoint_parts(summary), met_table(exposure), share_table(share), *told])
    return ""


evaluate = budgeted(command(Evaluation, run))
