"""``econzoo train ppo``: one training, several seeds, a sweep, or a dry run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from econzoo.baselines import read_metadata
from econzoo.envs.core import format_count, require_libraries
from econzoo.evaluate.run import check_engine, check_output_folder, open_engine
from econzoo.evaluate.show import Table, format_duration, show
from econzoo.train import dry_run_table, require_trackers, training_command
from econzoo.train.rl.curve import CURVE
from econzoo.train.rl.files import find_start, latest_policy
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.sb3 import SLOW_SECONDS, describe_cost, evaluations, make_evaluation, make_model, measure_speed
from econzoo.train.rl.seeds import seed_args, seeds_table, train_seeds, write_seeds
from econzoo.train.rl.sweep import RESULTS, read_sweep, require_tune, run_sweep, sweep_table

__all__ = ["dry_run", "main"]


FEW_EPISODES = 8
"""Episodes in which evaluations are timed."""

NOTE = "Timed on one update and a short evaluation, at this machine's present load; compilation comes on top."


SLOW_NOTE = "Timed on {} of random play, at this machine's present load; the network's own time comes on top."


class Trial(NamedTuple):
    """A training that has just started.

    Attributes:
        update: Plays a rollout and updates the network.
        evaluate: Plays an evaluation of `FEW_EPISODES` episodes against each opponent.
    """

    features: int
    actions: int
    parameters: int
    update: Callable[[], object]
    evaluate: Callable[[], object]


def train_and_report(recipe: PPORecipe) -> str:
    """Train, and return where the result is and how to play it."""
    check_training(recipe)
    from econzoo.train.rl.ppo import train_ppo  # after the check, as it needs torch

    print(f"{recipe.out}: {recipe.timesteps:,} moves of {recipe.game}", file=sys.stderr, flush=True)
    if line := recipe.describe_seats():
        print(line, flush=True)
    if recipe.sweep:
        if not recipe.is_compiled and (cost := describe_cost(recipe, 0)):
            print(f"each training: {cost}", file=sys.stderr, flush=True)
        return _sweep(recipe)
    if recipe.seeds > 1:
        with open_engine(recipe.engine, recipe.ray_address):
            return _train_seeds(recipe)
    path = train_ppo(recipe)
    others = " random" * (recipe.seat_count - 1)
    played = f"econzoo play {recipe.game} ppo:{path}{others}"
    return f"policy: {path}\nlearning curve: {path.parent / CURVE}\nplay it: {played}"


def check_training(recipe: PPORecipe) -> None:
    """Check what a training needs while nothing is played or written; dry runs call it too."""
    require_libraries("training by PPO", *recipe.libraries, extra="rl")
    from econzoo.train.rl.rollouts import make_distances

    require_trackers(recipe.track)
    check_output_folder(recipe.out)
    if recipe.exploitability:
        make_distances(recipe)
    if recipe.sweep:
        read_sweep(recipe)
        require_tune()
    elif recipe.seeds > 1:
        check_engine(recipe.engine, recipe.ray_address)
        seed_args(recipe)
    else:
        find_start(recipe)


def _train_seeds(recipe: PPORecipe) -> str:
    recipe.print_choices()
    folders = [path.parent for path in train_seeds(recipe)]
    show([seeds_table(folders)])
    return f"table: {write_seeds(recipe.out, folders)}\nevaluate them: econzoo evaluate ppo:{recipe.out}"


def _sweep(recipe: PPORecipe) -> str:
    recipe.print_choices()
    sweep, trials = run_sweep(recipe)
    show([sweep_table(recipe.out, sweep, trials)])
    table = f"table: {recipe.out / RESULTS}"
    ended = [one for one in trials if len(one.rewards) == sweep.seeds]
    if not ended:
        raise RuntimeError(f"{table}\nno trial has finished; rerun the same command to resume")
    return f"{table}\nevaluate the best: econzoo evaluate ppo:{recipe.out / ended[0].folder.name}"


def dry_run(recipe: PPORecipe) -> Table:
    """Estimate a training without writing anything."""
    check_training(recipe)
    trial = (_try_compiled if recipe.is_compiled else _try_sb3)(recipe)
    start = latest_policy(recipe.out) if recipe.resume else None
    done, a_rollout = read_metadata(start)["timesteps"] if start else 0, recipe.n_envs * recipe.n_steps
    updates = max(0, -(-(recipe.timesteps - done) // a_rollout))
    steps, note = updates * recipe.epochs * -(-a_rollout // recipe.batch_size), NOTE
    speed = None if recipe.is_compiled else measure_speed(recipe)
    # A rollout of over a minute is not played for an estimate.
    if speed and a_rollout / speed.per_second > SLOW_SECONDS:
        update, evaluation = a_rollout / speed.per_second, speed.seconds_of_evaluation(recipe)
        note = SLOW_NOTE.format(format_count(speed.moves, "move"))
    else:
        update, evaluation = _seconds(trial.update), _seconds(trial.evaluate) * recipe.eval_episodes / FEW_EPISODES
    timings = [("updates", updates, update), ("evaluations", evaluations(recipe, done), evaluation)]
    return dry_run_table(
        [
            *_describe_training(recipe, trial),
            ["moves", f"{recipe.timesteps:,}" + (f", {done:,} of them done" if done else "")],
            ["updates", f"{updates:,} of {recipe.n_envs:,} games x {recipe.n_steps:,} moves"],
            ["gradient steps", f"{steps:,} of up to {recipe.batch_size:,} moves"],
            ["speed", f"{a_rollout / update:,.3g} moves/s" if note != NOTE else f"{a_rollout / update:,.0f} moves/s"],
            ["time", format_duration(sum(count * seconds for _, count, seconds in timings))],
            *([f"  {name}", f"{count:,} x {seconds:.2g} s"] for name, count, seconds in timings),
            *(
                [["seeds", f"{recipe.seeds}, each with this time; {recipe.out}/seed-{recipe.seed}, ..."]]
                * (recipe.seeds > 1)
            ),
        ],
        note,
    )


def _describe_training(recipe: PPORecipe, trial: Trial) -> list[list[str]]:
    """Return the rows on network and opponents."""
    how = recipe.network_metadata()
    memory = {"history": f"history of {recipe.history} decisions"}.get(recipe.memory, recipe.memory)
    return [
        ["game", recipe.game],
        ["seats", ", ".join(map(str, recipe.learner_seats))],
        ["opponents", f"{len(recipe.opponents)}: {', '.join(recipe.opponents)}"],
        ["settings", recipe.settings],
        ["objective", recipe.objective],
        ["algorithm", recipe.algorithm + (f" ({recipe.algorithm_reason})" if recipe.algorithm_reason else "")],
        ["features", f"{trial.features:,}"],
        ["actions", f"{trial.actions:,}" + (f" ({recipe.grid_reason})" if recipe.grid_reason else "")],
        ["network", f"{' x '.join(map(str, recipe.net))}, {trial.parameters:,} parameters"],
        ["memory", memory],
        ["amounts", recipe.amounts],
        *([["predict", f"{recipe.predict:g}"]] * bool(how.get("predicts_next"))),
        [
            "evaluation",
            f"{recipe.eval_episodes} episodes each: {', '.join(recipe.eval_opponents)}; {recipe.eval_settings}",
        ],
    ]


def _seconds(act: Callable[[], object]) -> float:
    """Return the seconds of a second call; the first one compiles loops."""
    act()
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _try_compiled(recipe: PPORecipe) -> Trial:
    from econzoo.train.rl.ppo import start_training
    from econzoo.train.rl.rollouts import make_validation

    training = start_training(recipe, latest_policy(recipe.out) if recipe.resume and recipe.seeds == 1 else None)
    measure, network = make_validation(replace(recipe, eval_episodes=FEW_EPISODES)), training.network
    actions = training.actor.games.moves.size
    return Trial(network.features, actions, _parameters(network), training.learn, lambda: measure(network))


def _try_sb3(recipe: PPORecipe) -> Trial:
    model = make_model(recipe, None)
    model.tensorboard_log = None  # a dry run writes nothing
    measure = make_evaluation(replace(recipe, eval_episodes=FEW_EPISODES))
    sizes = model.observation_space.shape[0], int(model.action_space.n), _parameters(model.policy)
    return Trial(*sizes, lambda: model.learn(recipe.n_envs * recipe.n_steps), lambda: measure(model))


def _parameters(network: Any) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


main = training_command(PPORecipe, train_and_report, dry_run)
