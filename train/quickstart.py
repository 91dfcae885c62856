"""The whole library in a few minutes: train, play, evaluate, report.

    econzoo quickstart

Trains a PPO agent in both seats of a game against the training pool, plays it and the scripts of the standard pool
against that pool on validation markets, beside what can be earned there at most, lets it meet a real language model
in a few matches, and writes one HTML report.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.baselines.factory import player
from econzoo.envs.core.extras import MissingLibraryError, need
from econzoo.envs.core.registry import game as find_game
from econzoo.train.rl_defaults import DEFAULTS, UNSET

MODEL = "hf:smollm2"
STEPS = ("train PPO", "play the standard pool", "meet a language model", "write the report")


def quickstart(
    out: Annotated[Path, typer.Option(help="Folder of the results; started again, it goes on.")] = Path(
        "runs/quickstart"
    ),
    game: Annotated[str, typer.Option(help="Name of the game.")] = "bargaining",
    timesteps: Annotated[
        int | None,
        typer.Option(min=1, help="Moves of the learner while it trains.", show_default=DEFAULTS["timesteps"].told),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Matches of each pair in each validation market.")] = 2,
    model: Annotated[str, typer.Option(help="Language model to meet; empty: none.")] = MODEL,
    model_markets: Annotated[int, typer.Option(min=1, help="Validation markets in which the model is met.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of the training.")] = 0,
) -> None:
    """Train, play, evaluate and report in a few minutes."""
    need("quickstart", "torch", "numba", "pandas", "scipy", "matplotlib", "jinja2", extra="all")
    find_game(game)
    if model:
        player(model, game)  # a spec that is not known is better refused now than after the training
    started = time.perf_counter()
    policy = _train(game, out, timesteps, seed)
    _play_pool(game, out, policy, seeds)
    if model:
        _meet_model(game, out, policy, model, model_markets)
    _write_report(out)
    print(f"\nAll of it took {time.perf_counter() - started:.0f} seconds.")
    print(f"Go on with:  econzoo play {game} human {policy}")


def _say(step: int) -> None:
    from rich.console import Console

    Console().print(f"\n[bold]{step + 1}/{len(STEPS)}  {STEPS[step]}[/bold]")


def _train(game: str, out: Path, timesteps: int | None, seed: int) -> str:
    """The spec of the trained agent; a folder that has one is not trained again."""
    from econzoo.baselines.policy_files import POLICY
    from econzoo.train.ppo import train
    from econzoo.train.rl_args import PPOArgs

    _say(0)
    folder = out / "ppo"
    if (folder / POLICY).exists():
        print(f"{folder} has a trained policy; it is used as it is.")
    else:
        train(PPOArgs(game, out=folder, timesteps=timesteps or UNSET, seed=seed, checkpoint_every=0))
    return f"ppo:{folder}"


def _play_pool(game: str, out: Path, policy: str, seeds: int) -> None:
    """The agent and the pool's scripts against the pool, and what can be earned there at most."""
    from econzoo.baselines.pools import pool
    from econzoo.evaluate.analyses.learning.evaluating import played
    from econzoo.evaluate.analyses.learning.files import plain, write
    from econzoo.evaluate.analyses.learning.learning_table import learning_table
    from econzoo.evaluate.analyses.learning.tables import learning_tables
    from econzoo.evaluate.analyses.learning.trainings import trainings
    from econzoo.evaluate.run.plan import new_plan
    from econzoo.evaluate.run.settings import FIRST_SEED, validation
    from econzoo.evaluate.show.terminal import show

    _say(1)
    others, markets = pool(game, "standard"), validation(find_game(game))
    plan = new_plan(game, [policy, *others], markets, range(FIRST_SEED, FIRST_SEED + seeds), others)
    records = played(plan, out / "pool", None)
    found = learning_table(plan, records, trainings([policy]), "standard", ceiling=True)
    write(found, out)  # where the analysis looks for it
    show(learning_tables(plain(found))[:1])


def _meet_model(game: str, out: Path, policy: str, model: str, markets: int) -> None:
    from econzoo.evaluate.run.failures import StoppedError
    from econzoo.evaluate.run.plan import seat_count
    from econzoo.evaluate.run.settings import validation

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
    from econzoo.evaluate.run.failures import tell_failed
    from econzoo.evaluate.run.progress import progress_bar
    from econzoo.evaluate.run.tournament import missing, new_plan, run

    plan = new_plan(game, players, markets, seeds, opponents, lineups=lineups)
    with progress_bar("matches", len(missing(plan, folder))) as told:
        run(plan, folder, told=told)
    tell_failed(folder)


def _write_report(out: Path) -> None:
    from econzoo.evaluate.analyses.analyze import analyze

    _say(3)
    page = analyze(out)
    page.show()
    print(f"\nReport: {page.write(out)}")
