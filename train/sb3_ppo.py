"""PPO by Stable-Baselines3 on environments one after the other, masked (sb3-contrib) or not.

It plays every game and meets every player, programs and language models too. See `econzoo.train.ppo`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from econzoo.baselines.policy_files import POLICY, read_metadata
from econzoo.baselines.single_agent import make_single_agent
from econzoo.envs.core.extras import need
from econzoo.envs.core.faces.numeric_moves import MOST
from econzoo.train.rl_args import PPOArgs
from econzoo.train.rl_defaults import LIBRARIES
from econzoo.train.rl_evaluation import SIDE_BY_SIDE, Curve, episode_rewards
from econzoo.train.rl_files import check_same, checkpoint_path, save, start_of, take_up
from econzoo.train.rl_recipe import about, seed_at

NEVER = 2**62
"""Moves that no training reaches."""

LINES = 20
"""Lines of progress in a whole training, about."""


def train(args: PPOArgs) -> Path:
    """Trains a policy, or goes on with the training of a folder; see `econzoo.train.ppo.train`."""
    need("training by PPO", *LIBRARIES[False], extra="rl")
    start = start_of(args.out, args.resume)
    if start:
        check_same(start, about(args, 0))
    model = make_model(args, start)
    done = model.num_timesteps
    curve = Curve(args.out, evaluation(args))
    curve.open(done)
    if done < args.timesteps:
        learn(model, args, curve)
    if curve.last < model.num_timesteps:
        curve.measure(model, model.num_timesteps)
    return save(model, args.out / POLICY, about(args, model.num_timesteps))


def learn(model: Any, args: PPOArgs, curve: Curve) -> None:
    """The training itself, with its callbacks."""
    from stable_baselines3.common.callbacks import CallbackList

    model.learn(
        args.timesteps - model.num_timesteps,
        callback=CallbackList(make_callbacks(args, curve)),
        tb_log_name="ppo",
        reset_num_timesteps=model.num_timesteps == 0,
        progress_bar=args.progress and sys.stderr.isatty(),
    )


def masked(args: PPOArgs) -> bool:
    """Whether the policy chooses among legal actions only."""
    return args.algorithm == "sb3"


# -- environments --------------------------------------------------------------------------------------------


def make_env(args: PPOArgs, opponent: list[str], markets: str) -> Any:
    """One learner's seat with a flat observation.

    Raises:
        ValueError: A move has so many combinations that it comes in parts, which no policy file can hold.
    """
    env = make_single_agent(
        args.game,
        opponent,
        args.learner,
        markets,
        flat=True,
        grid=args.grid,
        objective=args.objective,
        penalty=args.penalty,
    )
    if not isinstance(env.action_space, Discrete):
        told = f"train ppo: grid={args.grid} gives {args.game} actions of several parts, {env.action_space}"
        raise ValueError(f"{told}; allowed: one list of at most {MOST:,} combinations for each kind of move")
    return env


def evaluation(args: PPOArgs) -> Callable[[Any], Mapping[str, Sequence[float]]]:
    """Plays a model against every opponent of the learning curve."""
    side_by_side, specs = range(min(args.eval_episodes, SIDE_BY_SIDE)), dict.fromkeys(args.eval_opponent)
    envs = {spec: [evaluation_env(args, spec) for _ in side_by_side] for spec in specs}
    return lambda model: {
        spec: episode_rewards(model, own, args.eval_episodes, masked(args)) for spec, own in envs.items()
    }


def evaluation_env(args: PPOArgs, opponent: str) -> Any:
    """An environment of the learning curve."""
    return make_env(args, [opponent], args.eval_markets)


def make_vector(args: PPOArgs) -> Any:
    """Several games side by side in one process: the games cost less than sending them to another one."""
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

    return VecMonitor(DummyVecEnv([partial(make_env, args, args.opponent, args.markets)] * args.n_envs))


# -- the model -----------------------------------------------------------------------------------------------


def make_model(args: PPOArgs, start: Path | None) -> Any:
    """A new model, or the one of a file."""
    import torch

    torch.set_num_threads(args.threads)
    kind = _class(args)
    settings = hyperparameters(args)
    policy = {"net_arch": list(args.net)}
    if start is None:
        return kind("MlpPolicy", make_vector(args), policy_kwargs=policy, seed=seed_at(args, 0), **settings)
    count = read_metadata(start)["timesteps"]
    model = kind("MlpPolicy", make_vector(args), policy_kwargs=policy, **settings)
    take_up(model, start, count)
    model.set_random_seed(seed_at(args, count))
    return model


def _class(args: PPOArgs) -> Any:
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    return MaskablePPO if masked(args) else PPO


def hyperparameters(args: PPOArgs) -> dict[str, Any]:
    """What Stable-Baselines3 wants to know."""
    return {
        "learning_rate": args.faded(args.learning_rate, 0.0 if args.decay else args.learning_rate),
        "n_steps": args.n_steps,
        "batch_size": args.batch_size,
        "n_epochs": args.epochs,
        "gamma": args.gamma,
        "gae_lambda": args.gae_lambda,
        "clip_range": args.clip_range,
        "ent_coef": args.entropy,
        "tensorboard_log": str(args.out / "tensorboard"),
        "device": "cpu",
    }


# -- callbacks -----------------------------------------------------------------------------------------------


def make_callbacks(args: PPOArgs, curve: Curve) -> list[Any]:
    """What happens between two updates: evaluations, checkpoints, a fading bonus for trying things out."""

    def evaluate(model: Any) -> None:
        if curve.last < model.num_timesteps:
            for p in curve.measure(model, model.num_timesteps):
                model.logger.record(f"evaluation/{p.opponent}", p.reward)

    def checkpoint(model: Any) -> None:
        if model.num_timesteps:
            path = checkpoint_path(args.out, model.num_timesteps)
            save(model, path, about(args, model.num_timesteps))

    def fade(model: Any) -> None:
        model.ent_coef = args.faded(args.entropy, args.entropy_end)(1 - model.num_timesteps / args.timesteps)

    told = progress_line(args.timesteps) if args.progress and not sys.stderr.isatty() else None
    every = [
        (told, -(-args.timesteps // LINES)),
        (fade, 1),
        (evaluate, args.eval_every or NEVER),
        (checkpoint, args.checkpoint_every),
    ]
    return [between_updates(act, moves) for act, moves in every if act and moves]


def progress_line(total: int) -> Callable[[Any], None]:
    """Tells on standard error how far a training is, its mean reward in recent episodes, and its speed.

    For files and pipes: a terminal has a progress bar.
    """
    began: list[tuple[float, int]] = []

    def told(model: Any) -> None:
        now, moves = time.perf_counter(), model.num_timesteps
        if not began:
            began.append((now, moves))
        seconds, made = now - began[0][0], moves - began[0][1]
        rewards = [episode["r"] for episode in model.ep_info_buffer]
        reward = f"  reward {np.mean(rewards):.3f} in {len(rewards)} episodes" if rewards else ""
        speed = f"  ({made / seconds:,.0f} moves/s)" if made else ""
        print(f"{moves:,} of {total:,} moves{reward}{speed}", file=sys.stderr, flush=True)

    return told


def between_updates(act: Callable[[Any], None], every: int) -> Any:
    """A callback that gives the model to a function before the first update, then about every so many moves."""
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
