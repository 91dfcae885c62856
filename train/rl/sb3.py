"""PPO by Stable-Baselines3 on sequential environments, with action masks (sb3-contrib) or without.

It supports every game and player, programs and language models included. See `econzoo.train.rl.ppo`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.baselines import POLICY, are_finite, make_single_agent, read_metadata
from econzoo.envs.core import format_count
from econzoo.evaluate.show import format_duration
from econzoo.train.rl.curve import SIDE_BY_SIDE, Curve, episode_rewards
from econzoo.train.rl.files import NOT_FINITE, checkpoint_path, divergence, load_into_model, policy_metadata, save
from econzoo.train.rl.files import save_options, seed_at

if TYPE_CHECKING:
    from econzoo.train.rl.recipe import PPORecipe

UNREACHABLE_MOVES = 2**62

LINES = 20
"""Approximate number of progress lines of a training."""

PROBE_SECONDS = 2.0
"""Seconds in which the first moves of a training are timed; a move that has begun is finished."""

SLOW_SECONDS = 60.0
"""Expected seconds from which a training, or a rollout of a dry run, is slow."""


class Speed(NamedTuple):
    """The timed `moves` of a learner, in seconds and episodes."""

    moves: int
    per_second: float
    per_episode: float

    def seconds_of_evaluation(self, recipe: PPORecipe) -> float:
        return recipe.eval_episodes * len(recipe.eval_opponents) * self.per_episode / self.per_second


def measure_speed(recipe: PPORecipe) -> Speed:
    """Play random legal moves of a training for `PROBE_SECONDS`, or a twentieth of its moves.

    The first move is not timed: players load their models and programs at it.
    """
    env, rng = make_env(recipe, recipe.opponents, recipe.settings), np.random.default_rng(0)

    def ends_after_move() -> bool:
        legal = np.flatnonzero(env.action_masks())
        chosen = rng.choice(legal) if hasattr(env.action_space, "n") else env.action_space.sample()
        *_, terminated, truncated, _ = env.step(chosen)
        return terminated or truncated

    env.reset(seed=seed_at(recipe, 0))
    ends_after_move()
    env.reset()
    moves, episodes, begun = 0, 0, time.perf_counter()
    while moves < max(1, recipe.timesteps // 20) and time.perf_counter() - begun < PROBE_SECONDS:
        moves += 1
        if ends_after_move():
            episodes += 1
            env.reset()
    return Speed(moves, moves / (time.perf_counter() - begun), moves / max(episodes, 1))


def evaluations(recipe: PPORecipe, done: int) -> int:
    """Return the number of evaluations: at the start, at intervals, and at the end."""
    left = max(0, recipe.timesteps - done)
    return 1 + (-(-left // recipe.eval_every) if recipe.eval_every else 1)


def describe_cost(recipe: PPORecipe, done: int) -> str:
    """Return what a training costs by its first moves; empty if that is under a minute."""
    speed, left, count = measure_speed(recipe), max(0, recipe.timesteps - done), evaluations(recipe, done)
    seconds = left / speed.per_second + count * speed.seconds_of_evaluation(recipe)
    of_all = f"{left:,} moves and {count:,} evaluations"
    by = f"by the first {format_count(speed.moves, 'move')}; the network's own time comes on top"
    line = f"about {speed.per_second:.3g} moves a second: about {format_duration(seconds)} for {of_all}, {by}"
    return line if seconds >= SLOW_SECONDS else ""


def train(recipe: PPORecipe, start: Path | None, curve: Curve | None = None) -> Path:
    """Train a policy, or resume from a file; see `econzoo.train.rl.ppo.train_ppo`."""
    model = make_model(recipe, start)
    save_options(recipe)
    done = model.num_timesteps
    if recipe.progress and (line := describe_cost(recipe, done)):
        print(line, file=sys.stderr, flush=True)
    curve = curve or Curve(recipe.out, make_evaluation(recipe))
    curve.open(done)
    if done < recipe.timesteps:
        learn(model, recipe, curve)
    if curve.last < model.num_timesteps:
        curve.measure(model, model.num_timesteps)
    return save(model, recipe.out / POLICY, policy_metadata(recipe, model.num_timesteps))


def learn(model: Any, recipe: PPORecipe, curve: Curve) -> None:
    """Run the training with its callbacks.

    Raises:
        DivergedError: Network values are not finite; the last finite model is saved as a checkpoint.
    """
    from stable_baselines3.common.callbacks import CallbackList

    good: list[Any] = []

    def check(model: Any) -> None:
        policy = model.policy
        if are_finite(policy.state_dict()):
            good[:] = model.num_timesteps, deepcopy(policy.state_dict()), deepcopy(policy.optimizer.state_dict())
            return
        model.num_timesteps, weights, optimizer = good
        policy.load_state_dict(weights)
        policy.optimizer.load_state_dict(optimizer)
        checkpoint = save(model, checkpoint_path(recipe.out, good[0]), policy_metadata(recipe, good[0]))
        raise divergence(NOT_FINITE, good[0], checkpoint)

    check(model)  # so that `good` has a state before the first update
    try:
        model.learn(
            recipe.timesteps - model.num_timesteps,
            callback=CallbackList([between_updates(check, 1), *make_callbacks(recipe, curve)]),
            tb_log_name="ppo",
            reset_num_timesteps=model.num_timesteps == 0,  # a resumed training goes on counting
            progress_bar=recipe.progress and sys.stderr.isatty(),
        )
    except ValueError:  # torch's distributions reject NaN
        check(model)
        raise
    check(model)


def is_masked(recipe: PPORecipe) -> bool:
    """Whether the policy samples legal actions only."""
    return recipe.algorithm == "sb3"


# -- environments --------------------------------------------------------------------------------------------


def make_env(recipe: PPORecipe, opponents: list[str], settings: str) -> Any:
    """Return a single-agent environment with flat observations."""
    return make_single_agent(
        recipe.game,
        opponents,
        recipe.learner,
        settings,
        flat=True,
        grid=recipe.grid,
        grid_range=recipe.grid_range,
        objective=recipe.objective,
        rewards=recipe.rewards,
        penalty=recipe.penalty,
    )


def make_evaluation(recipe: PPORecipe) -> Callable[[Any], Mapping[str, Sequence[float]]]:
    """Return a function that evaluates a model against every evaluation opponent."""
    side_by_side, specs = range(min(recipe.eval_episodes, SIDE_BY_SIDE)), dict.fromkeys(recipe.eval_opponents)
    envs = {spec: [evaluation_env(recipe, spec) for _ in side_by_side] for spec in specs}
    return lambda model: {
        spec: episode_rewards(model, own, recipe.eval_episodes, is_masked(recipe)) for spec, own in envs.items()
    }


def evaluation_env(recipe: PPORecipe, opponent: str) -> Any:
    """Return an environment of the learning curve."""
    return make_env(recipe, [opponent], recipe.eval_settings)


def make_vector(recipe: PPORecipe) -> Any:
    """Return a vector of games in this process: games cost less than inter-process communication."""
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

    return VecMonitor(DummyVecEnv([partial(make_env, recipe, recipe.opponents, recipe.settings)] * recipe.n_envs))


# -- the model -----------------------------------------------------------------------------------------------


def make_model(recipe: PPORecipe, start: Path | None) -> Any:
    """Return a new model, or load one from a file."""
    import torch

    torch.set_num_threads(recipe.threads)
    kind = _algorithm_class(recipe)
    settings = hyperparameters(recipe)
    policy = {"net_arch": list(recipe.net)}
    if start is None:
        return kind("MlpPolicy", make_vector(recipe), policy_kwargs=policy, seed=seed_at(recipe, 0), **settings)
    count = read_metadata(start)["timesteps"]
    model = kind("MlpPolicy", make_vector(recipe), policy_kwargs=policy, **settings)
    load_into_model(model, start, count)
    model.set_random_seed(seed_at(recipe, count))
    return model


def _algorithm_class(recipe: PPORecipe) -> Any:
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    return MaskablePPO if is_masked(recipe) else PPO


def hyperparameters(recipe: PPORecipe) -> dict[str, Any]:
    return {
        "learning_rate": recipe.fade_schedule(recipe.lr, 0.0 if recipe.decay else recipe.lr),
        "n_steps": recipe.n_steps,
        "batch_size": recipe.batch_size,
        "n_epochs": recipe.epochs,
        "gamma": recipe.gamma,
        "gae_lambda": recipe.gae_lambda,
        "clip_range": recipe.clip_range,
        "ent_coef": recipe.entropy,
        "tensorboard_log": str(recipe.out / "tensorboard"),
        "device": "cpu",
    }


# -- callbacks -----------------------------------------------------------------------------------------------


def make_callbacks(recipe: PPORecipe, curve: Curve) -> list[Any]:
    """Return the callbacks between updates: evaluations, checkpoints, and the decay of the entropy bonus."""

    def evaluate(model: Any) -> None:
        if curve.last < model.num_timesteps:
            for p in curve.measure(model, model.num_timesteps):
                model.logger.record(f"evaluation/{p.opponent}", p.reward)

    def checkpoint(model: Any) -> None:
        if model.num_timesteps:
            path = checkpoint_path(recipe.out, model.num_timesteps)
            save(model, path, policy_metadata(recipe, model.num_timesteps))

    def fade(model: Any) -> None:
        # Stable-Baselines3 has schedules of the learning rate and the clip range only.
        model.ent_coef = recipe.fade_schedule(recipe.entropy, recipe.entropy_end)(
            1 - model.num_timesteps / recipe.timesteps
        )

    report = progress_line(recipe.timesteps) if recipe.progress and not sys.stderr.isatty() else None
    intervals = [
        (report, -(-recipe.timesteps // LINES)),
        (fade, 1),
        (evaluate, recipe.eval_every or UNREACHABLE_MOVES),  # 0: at the start, and `train` adds the end
        (checkpoint, recipe.checkpoint_every),
    ]
    return [between_updates(act, moves) for act, moves in intervals if act and moves]


def progress_line(total: int) -> Callable[[Any], None]:
    """Return a function that prints progress, mean recent reward and speed to standard error.

    For files and pipes; terminals have a progress bar.
    """
    began: list[tuple[float, int]] = []

    def report_model(model: Any) -> None:
        now, moves = time.perf_counter(), model.num_timesteps
        if not began:
            began.append((now, moves))
        seconds, done = now - began[0][0], moves - began[0][1]
        rewards = [episode["r"] for episode in model.ep_info_buffer]
        reward = f"  reward {np.mean(rewards):.3f} in {len(rewards)} episodes" if rewards else ""
        speed = f"  ({done / seconds:,.0f} moves/s)" if done else ""
        print(f"{moves:,} of {total:,} moves{reward}{speed}", file=sys.stderr, flush=True)

    return report_model


def between_updates(act: Callable[[Any], None], every: int) -> Any:
    """Return a callback that calls a function with the model at the start, then at intervals of moves."""
    from stable_baselines3.common.callbacks import BaseCallback

    class BetweenUpdates(BaseCallback):
        due = 0

        def _on_rollout_start(self) -> None:
            if self.num_timesteps >= self.due:
                act(self.model)
                self.due = self.num_timesteps + every

        def _on_step(self) -> bool:
            return True

    return BetweenUpdates()
