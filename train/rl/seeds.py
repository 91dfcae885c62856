"""Several seeds of one training: parallel processes, a folder ``seed-N`` for each, and their mean.

Several seeds separate the effect of a recipe from the variance between training runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from io import TextIOBase
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from econzoo.baselines import POLICY
from econzoo.envs.core import GameEntry, ensure_registered, game_entry
from econzoo.evaluate.run import Engine, block_interrupts, current_engine, results
from econzoo.evaluate.show import TEXT, Column, Table, write_csv
from econzoo.evaluate.stats import mean_of_draws, predict_draw
from econzoo.train.rl.curve import CURVE, read_curve
from econzoo.train.rl.files import check_undamaged, has_ended, latest_policy, resume_recipe

if TYPE_CHECKING:
    from econzoo.train.rl.recipe import PPORecipe

__all__ = ["seed_args", "seeds_table", "train_seeds", "write_seeds"]

TABLE = "seeds.csv"
HEADER = ("opponent", "reward", "low", "high", "seeds", "low_new_seed", "high_new_seed")

INTERRUPTED = 130
"""Exit code of a process interrupted by the user."""


def seed_args(recipe: PPORecipe) -> list[PPORecipe]:
    """Return the recipe of every seed's training."""
    if latest_policy(recipe.out):
        raise ValueError(f"{recipe.out} holds a training of a single seed; choose another --out")
    seeds = range(recipe.seed, recipe.seed + recipe.seeds)
    folders = {seed: recipe.out / f"seed-{seed}" for seed in seeds}
    begun = {number: latest_policy(folder) is not None for number, folder in folders.items()}
    if not recipe.resume and any(begun.values()):
        raise ValueError(f"{recipe.out} already holds trainings; use --resume or choose another --out")
    for folder in [folders[number] for number, has in begun.items() if recipe.resume and not has]:
        check_undamaged(folder)
    if recipe.resume and not any(begun.values()):
        raise FileNotFoundError(f"nothing to resume in {recipe.out}: no seed has a {POLICY} or a checkpoint there")
    return [replace(recipe, seed=n, out=folders[n], resume=begun[n], seeds=1, jobs=None) for n in seeds]


def train_seeds(recipe: PPORecipe) -> list[Path]:
    """Train every seed to its end; finished trainings are left alone.

    Returns:
        The policy files, in the order of the seeds.

    Raises:
        KeyboardInterrupt: Interrupted; every running training has saved a checkpoint.
        RuntimeError: A training failed; the others are finished.
    """
    recipes = seed_args(recipe)
    waiting = deque(one for one in recipes if not (one.resume and has_ended(one)))
    jobs = recipe.jobs or min(len(recipes), os.cpu_count() or 1)
    if engine := current_engine():
        _train_on_engine(waiting, engine, recipe.jobs or engine.jobs)
    elif jobs == 1 or len(waiting) == 1:
        for one in waiting:
            _train(one)
    else:
        _train_in_processes(waiting, jobs)
    return [one.out / POLICY for one in recipes]


def _train(recipe: PPORecipe) -> None:
    from econzoo.train.rl.ppo import train_ppo

    with redirect_stderr(LabelledOutput(sys.stderr, f"{recipe.out.name}: ")):  # type: ignore[type-var]
        train_ppo(recipe)


def _train_in_processes(waiting: deque[PPORecipe], jobs: int) -> None:
    running: dict[str, SpawnProcess] = {}
    failed: list[str] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                one = waiting.popleft()
                running[one.out.name] = _start_process(one)
            # A training that fails does not stop the others.
            wait([process.sentinel for process in running.values()])
            for name in [name for name, process in running.items() if not process.is_alive()]:
                failed += [name] * bool(running.pop(name).exitcode)
    except KeyboardInterrupt:
        # Processes ignore Ctrl-C but save a checkpoint when terminated: tell all of them first, then wait.
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join()
        raise
    _print_failures(failed)


def _train_on_engine(waiting: Sequence[PPORecipe], engine: Engine, jobs: int) -> None:
    """Train each on a worker; a training whose worker died restarts from its last checkpoint."""
    failed: list[str] = []

    def say(place: int, why: str) -> None:
        print(f"{waiting[place].out.name}: {why}", file=sys.stderr, flush=True)

    def report_death(place: int, why: str) -> None:
        say(place, f"its worker {why}")

    parts = [(one, game_entry(one.game)) for one in waiting]
    for place, error in results(engine, _train_on_worker, parts, jobs, on_death=report_death):
        if error is not None:
            say(place, str(error) or type(error).__name__)
            failed.append(waiting[place].out.name)
    _print_failures(failed)


def _print_failures(failed: Sequence[str]) -> None:
    if failed:
        raise RuntimeError(f"{', '.join(failed)} failed; see the errors above, and rerun with --resume")


def _train_on_worker(recipe: PPORecipe, where: GameEntry) -> None:
    """Train on a worker, whose predecessor may have left a checkpoint."""
    ensure_registered(recipe.game, where)
    _train(resume_recipe(recipe))


def _start_process(recipe: PPORecipe) -> SpawnProcess:
    # A spawned process imports everything anew, so it is told of games that were registered here.
    process = get_context("spawn").Process(target=_run_process, args=(recipe, recipe.game, game_entry(recipe.game)))
    with block_interrupts():
        process.start()
    return process


def _run_process(recipe: PPORecipe, game: str, where: GameEntry) -> None:
    """Train in a new process; on termination, or if the parent dies, it saves a checkpoint."""
    ensure_registered(game, where)
    signal.signal(signal.SIGTERM, _interrupt)
    threading.Thread(target=_follow_parent, daemon=True).start()
    with suppress(KeyboardInterrupt):
        _train(recipe)
        return
    sys.exit(INTERRUPTED)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


class LabelledOutput(TextIOBase):
    """Writes lines that begin with a label."""

    def __init__(self, out: TextIO, label: str) -> None:
        self._out, self._label, self._begun = out, label, False

    def write(self, text: str) -> int:
        """Write text, with the label at the start of every line."""
        for line in text.splitlines(keepends=True):
            self._out.write(line if self._begun else self._label + line)
            self._begun = not line.endswith("\n")
        return len(text)

    def flush(self) -> None:
        self._out.flush()


# -- results -------------------------------------------------------------------------------------------------


def _last_rewards(folders: Sequence[Path]) -> Iterator[tuple[str, list[float]]]:
    """Yield evaluation opponents with every seed's last reward."""
    curves = [read_curve(folder / CURVE) for folder in folders]
    last = [{one.opponent: one.reward for one in points if one.timesteps == points[-1].timesteps} for points in curves]
    for opponent in last[0]:
        yield opponent, [rewards[opponent] for rewards in last]


def write_seeds(out: Path, folders: Sequence[Path]) -> Path:
    """Write means over seeds, with Student's t intervals and those of a new seed, into ``seeds.csv``."""
    rows = [
        (opponent, *mean_of_draws(rewards), *predict_draw(rewards)[1:3]) for opponent, rewards in _last_rewards(folders)
    ]
    return write_csv(out / TABLE, HEADER, rows)


def seeds_table(folders: Sequence[Path]) -> Table:
    """Return the last rewards against every evaluation opponent: mean over seeds, intervals, and every seed."""
    columns = [
        Column("opponent", kind=TEXT),
        Column("reward", show_interval=True),
        Column("new_seed", show_interval=True),
        *(Column(one.name) for one in folders),
    ]
    rows = [
        [opponent, mean_of_draws(rewards), predict_draw(rewards), *rewards]
        for opponent, rewards in _last_rewards(folders)
    ]
    note = (
        "Reward in the last evaluation; 95%: interval over training seeds (Student's t), for the same training with "
        "other seeds in the same episodes. New seed: interval of the result of one further seed."
    )
    return Table("training_seeds", "Training seeds", columns, rows, note)
