"""The whole library in a few minutes: train, play, evaluate, report.

    econzoo quickstart

Trains a PPO agent in both seats of a game against the training pool, plays it and the scripts of the standard pool
against that pool on validation settings, beside what can be earned there at most, lets it meet a real language model
in a few matches, and writes one HTML report.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines.factory import player
from econzoo.baselines.policy_files import POLICY
from econzoo.baselines.pools import pool
from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import OrNone, Text, Whole
from econzoo.envs.core.extras import MissingLibraryError, need
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.analyze import analyze
from econzoo.evaluate.analyses.learning.learning_table import learning_table
from econzoo.evaluate.analyses.learning.tables import learning_tables, plain, write
from econzoo.evaluate.analyses.learning.trainings import trainings
from econzoo.evaluate.run.design import new_design, seat_count
from econzoo.evaluate.run.failures import StoppedError, tell_failed
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.settings import FIRST_SEED, validation
from econzoo.evaluate.run.tournament import missing
from econzoo.evaluate.run.tournament import run as run_design
from econzoo.evaluate.show.terminal import show
from econzoo.evaluate.suites.evaluation import play_evaluation
from econzoo.train.recipe import FOLDER, UNSET
from econzoo.train.rl.recipe import ANY_COUNT, COUNT, DEFAULTS, PPORecipe

MODEL = "hf:smollm2"
STEPS = ("train PPO", "play the standard pool", "meet a language model", "write the report")


@dataclass
class Quickstart:
    """Train, play, evaluate and report in a few minutes."""

    out: Annotated[Path, Option(FOLDER, "Output folder; an unfinished run is resumed.")] = Path("runs/quickstart")
    game: Annotated[str, Option(Text(), "Name of the game.")] = "bargaining"
    timesteps: Annotated[
        int | None, Option(OrNone(COUNT), "Moves of the learner.", default=DEFAULTS["timesteps"].words)
    ] = None
    seeds: Annotated[int, Option(Whole(1), "Matches of each pair in each validation setting.")] = 2
    model: Annotated[str, Option(Text(), "Language model to meet (empty = none).")] = MODEL
    model_settings: Annotated[int, Option(Whole(1), "Validation settings in which the model is met.")] = 4
    seed: Annotated[int, Option(ANY_COUNT, "Random seed of the training.")] = 0

    def __post_init__(self) -> None:
        check_options(self)


def run(args: Quickstart) -> str:
    """Runs all four steps; those that an earlier run has ended are not repeated."""
    need("quickstart", "torch", "numba", "pandas", "scipy", "matplotlib", "jinja2", extra="all")
    game, out = args.game, args.out
    find_game(game)
    if args.model:
        player(args.model, game)  # a spec that is not known is better refused now than after the training
    started = time.perf_counter()
    policy = _train(game, out, args.timesteps, args.seed)
    _play_pool(game, out, policy, args.seeds)
    if args.model:
        _meet_model(game, out, policy, args.model, args.model_settings)
    _write_report(out)
    took = f"All of it took {time.perf_counter() - started:.0f} seconds."
    return f"\n{took}\nGo on with:  econzoo play {game} human {policy}"


def _say(step: int) -> None:
    from rich.console import Console

    Console().print(f"\n[bold]{step + 1}/{len(STEPS)}  {STEPS[step]}[/bold]")


def _train(game: str, out: Path, timesteps: int | None, seed: int) -> str:
    """The spec of the trained agent; a folder that has one is not trained again."""
    from econzoo.train.rl.ppo import train

    _say(0)
    folder = out / "ppo"
    if (folder / POLICY).exists():
        print(f"{folder} has a trained policy; it is used as it is.")
    else:
        train(PPORecipe(game, out=folder, timesteps=timesteps or UNSET, seed=seed, checkpoint_every=0))
    return f"ppo:{folder}"


def _play_pool(game: str, out: Path, policy: str, seeds: int) -> None:
    """The agent and the pool's scripts against the pool, and what can be earned there at most."""
    _say(1)
    opponents, markets = pool(game, "standard"), validation(find_game(game))
    design = new_design(game, [policy, *opponents], markets, range(FIRST_SEED, FIRST_SEED + seeds), opponents)
    records = play_evaluation(design, out / "pool", None)
    found = learning_table(design, records, trainings([policy]), "standard", ceiling=True)
    write(found, out)  # where the analysis looks for it
    show(learning_tables(plain(found))[:1])


def _meet_model(game: str, out: Path, policy: str, model: str, markets: int) -> None:
    _say(2)
    chosen = validation(find_game(game))[:markets]
    seats = range(seat_count(find_game(game), chosen))
    alone = [[model if i == seat else policy for i in seats] for seat in seats]  # one answer of the model a round
    try:
        _tournament(game, out / "model", [policy], chosen, 1, [model], alone)
    except (MissingLibraryError, StoppedError) as error:
        print(f"The language model is left out: {error}")


def _tournament(
    game: str,
    folder: Path,
    players: Sequence[str],
    markets: Sequence[Any],
    seeds: int,
    opponents: Sequence[str] = (),
    lineups: Sequence[Sequence[str]] = (),
) -> None:
    design = new_design(game, players, markets, seeds, opponents, lineups=lineups)
    with progress_bar("matches", len(missing(design, folder))) as told:
        run_design(design, folder, told=told)
    tell_failed(folder)


def _write_report(out: Path) -> None:
    _say(3)
    page = analyze(out)
    page.show()
    print(f"\nReport: {page.write(out)}")


main = command(Quickstart, run)
