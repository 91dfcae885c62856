"""What a training would be, and how long it would take, by a short measurement; nothing is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from econzoo.baselines.policy_files import read_metadata
from econzoo.envs.core.extras import need
from econzoo.evaluate.show.console import TextTable
from econzoo.train.rl_args import PPOArgs
from econzoo.train.rl_defaults import LIBRARIES
from econzoo.train.rl_files import latest

__all__ = ["dry_run"]

FEW = 8
"""Episodes in which evaluations are measured."""

NOTE = "Time by one update and a short evaluation, on this machine as busy as it is now; compiling comes on top"


class Trial(NamedTuple):
    """A training that has just begun.

    Attributes:
        features: Numbers that a seat sees.
        actions: From which the policy chooses.
        parameters: Of the network.
        update: Plays a rollout and learns from it.
        evaluate: Plays an evaluation of `FEW` episodes against each opponent.
    """

    features: int
    actions: int
    parameters: int
    update: Callable[[], object]
    evaluate: Callable[[], object]


def dry_run(args: PPOArgs) -> TextTable:
    """What `econzoo.train.ppo.train` would do with these arguments.

    Raises:
        ImportError: A library is missing.
        ValueError: A move has so many combinations that it comes in parts, which no policy file can hold.
    """
    need("training by PPO", *LIBRARIES[args.compiled], extra="rl")
    trial = (_compiled if args.compiled else _stable_baselines3)(args)
    start = latest(args.out) if args.resume else None
    done, a_rollout = read_metadata(start)["timesteps"] if start else 0, args.n_envs * args.n_steps
    updates = max(0, -(-(args.timesteps - done) // a_rollout))
    steps, evaluations = updates * args.epochs * -(-a_rollout // args.batch_size), _evaluations(args, done)
    update, evaluation = _seconds(trial.update), _seconds(trial.evaluate) * args.eval_episodes / FEW
    took = [("updates", updates, update), ("evaluations", evaluations, evaluation)]
    return TextTable(
        "Dry run",
        ["training", "what"],
        [
            *_about(args, trial),
            ["moves", f"{args.timesteps:,}" + (f", of which {done:,} are made" if done else "")],
            ["updates", f"{updates:,} of {args.n_envs:,} games x {args.n_steps:,} moves"],
            ["gradient steps", f"{steps:,} of up to {args.batch_size:,} moves"],
            ["speed", f"{a_rollout / update:,.0f} moves/s"],
            ["time", _told(sum(count * seconds for _, count, seconds in took))],
            *([f"  {name}", f"{count:,} x {seconds:.2g} s"] for name, count, seconds in took),
            *([["seeds", f"{args.seeds}, each in that time; {args.out}/seed-{args.seed}, ..."]] * (args.seeds > 1)),
        ],
        NOTE,
    )


def _about(args: PPOArgs, trial: Trial) -> list[list[str]]:
    """What is trained, and against whom."""
    how = args.network()
    memory = {"history": f"history of {args.history} decisions"}.get(args.memory, args.memory)
    return [
        ["game", args.game],
        ["seats", ", ".join(map(str, args.seats))],
        ["opponents", f"{len(args.opponent)}: {', '.join(args.opponent)}"],
        ["markets", args.markets],
        ["objective", args.objective],
        ["algorithm", args.algorithm + (f" ({args.why})" if args.why else "")],
        ["features", f"{trial.features:,}"],
        ["actions", f"{trial.actions:,}"],
        ["network", f"{' x '.join(map(str, args.net))}, {trial.parameters:,} parameters"],
        ["memory", memory],
        ["amounts", args.amounts],
        *([["predict", f"{args.predict:g}"]] * bool(how.get("predicts"))),
        ["evaluation", f"{args.eval_episodes} episodes each: {', '.join(args.eval_opponent)}; {args.eval_markets}"],
    ]


def _evaluations(args: PPOArgs, done: int) -> int:
    """How often it is evaluated: at the start, every so many moves, and at the end."""
    left = max(0, args.timesteps - done)
    return 1 + (-(-left // args.eval_every) if args.eval_every else 1)


def _seconds(act: Callable[[], object]) -> float:
    """Of the second time: in the first one, loops are compiled."""
    act()
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _told(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _compiled(args: PPOArgs) -> Trial:
    from econzoo.train.learner_games import validation
    from econzoo.train.ppo import Training

    training = Training(args)
    measure, network = validation(replace(args, eval_episodes=FEW)), training.network
    actions = training.actor.games.moves.size
    return Trial(network.features, actions, _parameters(network), training.learn, lambda: measure(network))


def _stable_baselines3(args: PPOArgs) -> Trial:
    from econzoo.train.sb3_ppo import evaluation, make_model

    model = make_model(args, None)
    model.tensorboard_log = None
    measure = evaluation(replace(args, eval_episodes=FEW))
    sizes = model.observation_space.shape[0], int(model.action_space.n), _parameters(model.policy)
    return Trial(*sizes, lambda: model.learn(args.n_envs * args.n_steps), lambda: measure(model))


def _parameters(network: Any) -> int:
    return sum(parameter.numel() for parameter in network.parameters())
