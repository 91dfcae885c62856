"""How fast a learner's seat plays against scripted players: compiled, and in Python in the same run.

    python benchmarks/opponents.py [--games 1000] [--repeats 5]

The learner chooses at random among what is legal. Figures are moves of the learner a second of CPU time, the median of
the repeats, which are taken in turns. Absolute speeds depend on the machine; the ratio much less.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from econzoo.envs.core.vector import LearnerBatch

POOL = ("spe", "fair", "boulware(0.2)", "conceder(2)", "linear", "tit-for-tat", "greedy", "acceptor(0.4)", "random")
STEPS = {"Python": 500, "compiled": 200}


def chosen(masks: np.ndarray, rng: np.random.Generator) -> Any:
    """Legal actions at random, in time that does not count."""
    return (rng.random(masks.shape, np.float32) * masks).argmax(axis=-1)


def compiled(games: int) -> Callable[[], float]:
    """Measures the batch."""
    batch, rng = LearnerBatch("bargaining", games, seat="both", opponent=POOL, params="train"), np.random.default_rng(1)
    masks = batch.reset(seed=1)[1]

    def measure() -> float:
        nonlocal masks
        taken = 0.0
        for _ in range(STEPS["compiled"]):
            actions, begun = chosen(masks, rng), time.process_time()
            *_, masks, _ = batch.step(actions)
            taken += time.process_time() - begun
        return games * STEPS["compiled"] / taken

    measure()  # compiles
    return measure


def in_python() -> Callable[[], float]:
    """Measures the environment of `gymnasium.make`, resets included."""
    env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent=list(POOL), seat="both", markets="train").unwrapped
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def measure() -> float:
        taken = 0.0
        for _ in range(STEPS["Python"]):
            action, begun = int(chosen(env.action_masks(), rng)), time.process_time()
            if env.step(action)[2]:
                env.reset()
            taken += time.process_time() - begun
        return STEPS["Python"] / taken

    return measure


def main() -> None:
    """Prints the two speeds and their ratio."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="games of the batch")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each")
    args = parser.parse_args()
    ways = {"Python": in_python(), "compiled": compiled(args.games)}
    found = [{name: measure() for name, measure in ways.items()} for _ in range(args.repeats)]
    speeds = {name: statistics.median(one[name] for one in found) for name in ways}
    for name, speed in speeds.items():
        print(f"{name:10} {speed:12,.0f} moves a CPU-second")
    print(f"{'ratio':10} {speeds['compiled'] / speeds['Python']:12,.0f}")


if __name__ == "__main__":
    main()
