"""How fast PPO trains: on compiled games, and with Stable-Baselines3 on environments in the same run.

    python benchmarks/training.py [--game multi_issue] [--moves 50000] [--memory history]

Whole training loops with the default network, one thread, opponents and updates included; evaluations are left out.
Figures are moves of the learner a second of CPU time, the median of the repeats, which are taken in turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from econzoo.train.rl.ppo import Training
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.sb3 import make_model

QUIET: dict[str, Any] = {"eval_every": 0, "checkpoint_every": 0, "progress": False}


def compiled(args: PPORecipe) -> Callable[[], float]:
    """Measures the training on compiled games."""
    training = Training(args)
    training.learn()  # compiles

    def measure() -> float:
        first, begun = training.moves, time.process_time()
        while training.moves < first + args.timesteps:
            training.learn()
        return (training.moves - first) / (time.process_time() - begun)

    return measure


def stable_baselines(args: PPORecipe, moves: int) -> Callable[[], float]:
    """Measures the training with Stable-Baselines3; it gets an eighth of the moves."""
    model = make_model(args, None)

    def measure() -> float:
        first, begun = model.num_timesteps, time.process_time()
        model.learn(moves, reset_num_timesteps=False)
        return (model.num_timesteps - first) / (time.process_time() - begun)

    return measure


def main() -> None:
    """Prints the speeds and their ratio."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--game", default="bargaining", help="what is learned")
    parser.add_argument("--moves", type=int, default=65_536, help="of a measurement on compiled games")
    parser.add_argument("--memory", default="history", help="none, history or gru")
    parser.add_argument("--repeats", type=int, default=3, help="measurements of each")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        fast = PPORecipe(args.game, algorithm="compiled", memory=args.memory, timesteps=args.moves, out=out, **QUIET)
        slow = PPORecipe(args.game, algorithm="sb3", timesteps=args.moves, out=out, **QUIET)
        ways = {"compiled": compiled(fast), "sb3": stable_baselines(slow, args.moves // 8)}
        found = [{name: measure() for name, measure in ways.items()} for _ in range(args.repeats)]
    speeds = {name: statistics.median(one[name] for one in found) for name in ways}
    for name, speed in speeds.items():
        print(f"{name:10} {speed:12,.0f} moves a CPU-second")
    print(f"{'ratio':10} {speeds['compiled'] / speeds['sb3']:12,.1f}")


if __name__ == "__main__":
    main()
