"""How fast EconZoo is, beside an empty PettingZoo environment in the same run.

    python benchmarks/speed.py [--json] [--repeats 9] [--brief]

With ``--brief`` it prints only the import and the ratios, beside those of baseline.json in this folder, in a few
seconds; ``--brief --json`` prints what that file holds. Absolute speeds depend on the machine; the ratios much less.
Every figure is the median of the repeats, which are taken in turns, so that a slow moment of the machine strikes all
alike. See README.md in this folder.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

FORBIDDEN = ("torch", "transformers", "matplotlib", "pandas", "numba")
BASELINE = Path(__file__).with_name("baseline.json")
GAMES = 10_000
EPISODES = 60
MOVES = 24  # of an episode: 12 rounds of bargaining that end without agreement


class Figure(NamedTuple):
    """One measured thing.

    Attributes:
        name: What was measured.
        unit: Of median, best and budget.
        median: Of the repeats.
        best: Of the repeats: what a machine with nothing else to do would show.
        budget: What the design asks for, or None.
        ratio: Median by that of the empty environment with the standard wrappers, or None.
    """

    name: str
    unit: str
    median: float
    best: float
    budget: float | None = None
    ratio: float | None = None


def speed(name: str, unit: str, values: list[float], budget: float | None = None) -> Figure:
    """The figure of repeated measurements of which more is better."""
    return Figure(name, unit, statistics.median(values), max(values), budget)


class Empty(AECEnv):
    """Two agents in turn, nothing to compute: what PettingZoo itself costs."""

    metadata: ClassVar = {"name": "empty_v0", "render_modes": [], "is_parallelizable": False}

    def __init__(self) -> None:
        self.render_mode = None
        self.possible_agents = ["player_0", "player_1"]
        box: dict[str, spaces.Space] = {
            "observation": spaces.Box(-1, 1, (12,), np.float32),
            "action_mask": spaces.Box(0, 1, (103,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(box) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(103) for agent in self.possible_agents}
        self.seen = {"observation": np.zeros(12, np.float32), "action_mask": np.ones(103, np.int8)}

    def observation_space(self, agent: str) -> Any:
        """Always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Always the same object."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        """Nothing new."""
        return self.seen

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Starts an episode."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self.agent_selection = "player_0"
        self.moves = 0

    def step(self, action: int | None) -> None:
        """Nothing happens but the next agent's turn."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.moves += 1
        if self.moves == MOVES:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "player_1" if agent == "player_0" else "player_0"
        self._accumulate_rewards()


def lighter_stack() -> AECEnv:
    """The empty environment with the checks of order and bounds only."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(Empty()))


def standard_stack() -> AECEnv:
    """The empty environment in the wrappers that PettingZoo's classic games put around themselves."""
    env = wrappers.TerminateIllegalWrapper(Empty(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def played(env: AECEnv, moves: tuple[Any, Any]) -> int:
    """Plays an episode with the loop of PettingZoo's documentation; gives the number of steps.

    As in PettingZoo's `performance_benchmark`, the steps with None of agents that are done count as well.
    """
    env.reset()
    count = 0
    for _ in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else moves[count % 2])
        count += 1
    return count


def agent_steps(env: AECEnv, moves: tuple[Any, Any]) -> Callable[[], float]:
    """Measures steps a second of CPU time."""

    def measure() -> float:
        start, count = time.thread_time(), 0
        for _ in range(EPISODES):
            count += played(env, moves)
        return count / (time.thread_time() - start)

    return measure


def scalar_cases() -> dict[str, tuple[float | None, Callable[[], float]]]:
    """Name, budget and measure of every scalar environment."""
    import econzoo

    plain = ({"kind": "offer", "gain": 6000.0, "message": "fair?"}, {"kind": "reject"})
    text = ('{"kind": "offer", "gain": 6000, "message": "fair?"}', '{"kind": "reject"}')
    numbers = (60, 102)
    make, raw = econzoo.make, econzoo.make_raw
    return {
        "empty AEC, standard wrappers": (None, agent_steps(standard_stack(), (5, 5))),
        "empty AEC, lighter wrappers": (None, agent_steps(lighter_stack(), (5, 5))),
        "empty AEC, no wrappers": (None, agent_steps(Empty(), (5, 5))),
        "raw, structured": (120_000, agent_steps(raw("bargaining", face="structured"), plain)),
        "raw, numeric": (None, agent_steps(raw("bargaining"), numbers)),
        "env(), structured": (80_000, agent_steps(make("bargaining", face="structured"), plain)),
        "env(), numeric": (80_000, agent_steps(make("bargaining"), numbers)),
        "env(), text": (50_000, agent_steps(make("bargaining", face="text"), text)),
        "env(), chat": (None, agent_steps(make("bargaining", face="chat"), text)),
    }


def scalar_figures(repeats: int) -> list[Figure]:
    """Agent-steps a second of the scalar environments."""
    cases = scalar_cases()
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, (_, measure) in cases.items():
            taken[name].append(measure())
    empty = statistics.median(taken["empty AEC, standard wrappers"])
    figures = [speed(name, "agent-steps/s", values, cases[name][0]) for name, values in taken.items()]
    return [figure._replace(ratio=figure.median / empty) for figure in figures]


def vector_figures(repeats: int) -> list[Figure]:
    """Game-steps a second on one thread, and how long it takes to begin."""
    warm_up()
    start = time.perf_counter()
    batch_speeds("bargaining", 0, observing=True)
    ready = time.perf_counter() - start
    unit, name = "game-steps/s", f"vector, {GAMES:,} games"
    others = [game for game in VECTOR_MOVES if game != "bargaining"]
    return [
        speed(name, unit, batch_speeds("bargaining", repeats), 50e6),
        speed(f"{name}, with observations", unit, batch_speeds("bargaining", repeats, observing=True)),
        speed(f"{name}, as a Gymnasium environment", unit, gymnasium_speeds(repeats)),
        *[speed(f"{name}, {game}", unit, batch_speeds(game, repeats), 10e6) for game in others],
        Figure("vector, from import to the first step, compiled before", "s", ready, ready),
    ]


VECTOR_MOVES = {
    "bargaining": ((0, 6000.0), (2, 0.0)),  # offer, reject
    "negotiation": ((0, 11_000.0), (2, 0.0)),  # offer, reject
    "persuasion": ((2, 0.0), (4, 0.0)),  # say, decline
}
"""Kind and amount of the two moves of every round, so that each game goes on to its last round."""


def batch_speeds(game: str, repeats: int, observing: bool = False) -> list[float]:
    """Game-steps a second of CPU time of one thread, after a first step."""
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch(game, GAMES)
    moves = [(np.full(GAMES, kind, np.int8), np.full(GAMES, amount)) for kind, amount in VECTOR_MOVES[game]]
    batch.step(*moves[0])
    batch.observe()

    def run() -> float:
        batch.reset()
        start = time.thread_time()
        for step in range(4 * MOVES):
            batch.step(*moves[step % 2])
            if observing:
                batch.observe()
        return 4 * MOVES * GAMES / (time.thread_time() - start)

    return [run() for _ in range(repeats)]


def gymnasium_speeds(repeats: int) -> list[float]:
    """Game-steps a second of `econzoo.make_vec`, with observations, masks and rewards, in self-play."""
    import econzoo

    env = econzoo.make_vec("bargaining", num_envs=GAMES)

    def run() -> float:
        env.reset(seed=0)
        start = time.thread_time()
        for step in range(MOVES):
            env.step(np.full(GAMES, 102 if step % 2 else 60))
        return MOVES * GAMES / (time.thread_time() - start)

    run()
    return [run() for _ in range(repeats)]


def warm_up(**environment: str) -> float:
    """Seconds of a process from nothing to the first step of a vector environment."""
    code = (
        "from econzoo.envs.core.vector.batch import GameBatch\n"
        "batch = GameBatch('bargaining', 2); batch.step([0, 0], [1.0, 1.0]); batch.observe()"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def cold_start() -> Figure:
    """How long that takes with an empty cache folder."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = warm_up(ECONZOO_CACHE=folder)
    return Figure("vector, a process to its first step, nothing compiled", "s", seconds, seconds)


def import_figure(repeats: int) -> tuple[Figure, list[str]]:
    """CPU seconds of ``import econzoo`` in a fresh process, and which forbidden modules it brought."""
    code = (
        "import sys, time; start = time.process_time(); import econzoo; spent = time.process_time() - start\n"
        f"print(spent, *[name for name in {FORBIDDEN!r} if name in sys.modules])"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(repeats)
    ]
    seconds = [float(run[0]) for run in runs]
    figure = Figure("import econzoo", "s of CPU", statistics.median(seconds), min(seconds), 0.5)
    return figure, sorted({name for run in runs for name in run[1:]})


def versions() -> dict[str, str]:
    """What was measured with."""
    from importlib.metadata import version

    names = ("econzoo", "pettingzoo", "gymnasium", "numpy", "numba")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def table(figures: list[Figure]) -> str:
    """The figures as people read them."""
    lines = [f"{'':68} {'median':>12} {'best':>12} {'budget':>11} {'x standard':>11}"]
    for name, unit, median, best, budget, ratio in figures:
        numbers = [f"{value:,.2f}" if value < 1000 else f"{value:,.0f}" for value in (median, best)]
        wanted = "" if budget is None else f"< {budget:g}" if unit.startswith("s") else f"{budget:,.0f}"
        times = "" if ratio is None else f"{ratio:.2f}"
        lines.append(f"{f'{name}, {unit}':68} {numbers[0]:>12} {numbers[1]:>12} {wanted:>11} {times:>11}")
    return "\n".join(lines)


def brief(figures: list[Figure]) -> dict[str, float]:
    """What is watched over many changes: the ratios, and of what has none the best, by name with its unit."""
    return {
        f"{one.name}, {one.unit if one.ratio is None else 'x standard'}": round(one.ratio or one.best, 2)
        for one in figures
    }


def beside(found: dict[str, float], baseline: dict[str, float]) -> str:
    """These figures beside those of the baseline."""
    lines = [f"{'':44} {'now':>6} {'baseline':>9}"]
    return "\n".join(
        [*lines, *[f"{name:44} {one:>6.2f} {baseline.get(name, math.nan):>9.2f}" for name, one in found.items()]]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=9, metavar="N", help="repeats of every measurement (default: 9)")
    parser.add_argument(
        "--brief", action="store_true", help="only the import and ratios, beside those of baseline.json"
    )
    args = parser.parse_args()
    repeats = max(1, args.repeats)
    imported, forbidden = import_figure(repeats)
    figures = [imported, *scalar_figures(repeats)]
    if args.brief:
        found = brief(figures)
        print(json.dumps(found, indent=2) if args.json else beside(found, json.loads(BASELINE.read_text())))
        return
    figures += vector_figures(repeats)
    figures.append(cold_start())
    if args.json:
        out = {"versions": versions(), "forbidden_imports": forbidden, "figures": [f._asdict() for f in figures]}
        print(json.dumps(out, indent=2))
    else:
        print("  ".join(f"{name} {number}" for name, number in versions().items()))
        print(table(figures))
        print(f"imported though forbidden: {', '.join(forbidden) or 'nothing'}")


if __name__ == "__main__":
    main()
