"""How fast a learner's seat plays against scripted players: compiled, and in Python in the same run.

    python benchmarks/opponents.py [--games 1000] [--repeats 5]
    python benchmarks/opponents.py --game negotiation --opponents wide --opponents families --opponents families logit
    python benchmarks/opponents.py --game matrix --games 10000 --vector tit-for-tat

The learner chooses at random among what is legal. Figures are moves of the learner a second of CPU time, the median of
the repeats, which are taken in turns. Absolute speeds depend on the machine; the ratio much less. With `--opponents`
compiled games alone are compared, by specs, pools to be trained against and families, those that evaluations meet where
no training meets them. With `--vector` the environment of `make_vec` is compared with the bare rules, which play the
same random moves in all seats.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from econzoo import make_vec
from econzoo.baselines import HELD_OUT_FAMILIES, members
from econzoo.baselines.pools import FAMILIES, families
from econzoo.envs.core.vector import GameBatch, LearnerBatch

POOL = ("spe", "fair", "boulware(0.2)", "conceder(2)", "linear", "tit-for-tat", "greedy", "acceptor(0.4)", "random")
STEPS = {"Python": 500, "compiled": 200}


def chosen(masks: np.ndarray, rng: np.random.Generator) -> Any:
    """Legal actions at random, in time that does not count."""
    return (rng.random(masks.shape, np.float32) * masks).argmax(axis=-1)


def specs_of(game: str, names: Sequence[str]) -> list[str]:
    """The specs that names of pools and families stand for."""
    alone = families(game, HELD_OUT_FAMILIES).keys() - families(game).keys()
    return [spec for name in names for spec in members(game, [name], HELD_OUT_FAMILIES if name in alone else FAMILIES)]


def compiled(games: int, game: str = "bargaining", pool: Sequence[str] = POOL) -> Callable[[], float]:
    """Measures the batch."""
    batch, rng = LearnerBatch(game, games, seat="both", opponent=pool, params="train"), np.random.default_rng(1)
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
    env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent=list(POOL), seat="both", settings="train").unwrapped
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


def in_vector(games: int, game: str, opponent: str) -> Callable[[], float]:
    """Measures the vector environment, which starts games at once and gives their last observations."""
    env, rng = make_vec(game, games, seat=0, opponent=opponent, autoreset_mode="SameStep"), np.random.default_rng(1)
    return steps(games, lambda: chosen(env.reset(seed=1)[0]["action_mask"], rng), env.step)


def rules_only(games: int, game: str) -> Callable[[], float]:
    """Measures the rules, without observations, masks and rewards; a move of all seats counts as one."""
    batch, rng = GameBatch(game, games), np.random.default_rng(1)
    shape = (games, batch.seats) if batch.turns.has_joint_moves else games
    return steps(games, lambda: rng.integers(len(batch.actions.kinds), size=shape), batch.step)


def steps(games: int, choose: Callable[[], Any], step: Callable[[Any], Any]) -> Callable[[], float]:
    """Measures steps with a few actions in turns."""
    several = [choose() for _ in range(8)]

    def measure() -> float:
        begun = time.process_time()
        for number in range(STEPS["compiled"]):
            step(several[number % len(several)])
        return games * STEPS["compiled"] / (time.process_time() - begun)

    measure()  # compiles
    return measure


def main() -> None:
    """Prints speeds, and their ratios to the first, which is Python's unless opponents are given."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="games of the batch")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each")
    parser.add_argument("--game", default="bargaining", help="that --opponents are of")
    parser.add_argument("--opponents", nargs="+", action="append", help="a pool that is measured (repeatable)")
    parser.add_argument("--vector", help="opponent of the vector environment that is compared with the rules")
    args = parser.parse_args()
    if args.vector:
        ways = {"rules": rules_only(args.games, args.game), "vector": in_vector(args.games, args.game, args.vector)}
    elif args.opponents:
        pools = {" ".join(names): specs_of(args.game, names) for names in args.opponents}
        ways = {name: compiled(args.games, args.game, specs) for name, specs in pools.items()}
    else:
        ways = {"Python": in_python(), "compiled": compiled(args.games)}
    found = [{name: measure() for name, measure in ways.items()} for _ in range(args.repeats)]
    speeds = {name: statistics.median(one[name] for one in found) for name in ways}
    first = next(iter(ways))
    for name, speed in speeds.items():
        print(f"{name:20} {speed:12,.0f} moves a CPU-second, {speed / speeds[first]:.2f} times the first")


if __name__ == "__main__":
    main()
