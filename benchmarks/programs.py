"""How fast the games of two moves, the coin game and the programs that play them are.

    python benchmarks/programs.py [--json] [--repeats 9]

The environments stand beside an empty PettingZoo environment in the standard wrappers, and programs in the sandbox
beside the same programs run by `exec` in the own process, without any protection, in the same run. See README.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from speed import GAMES, Figure, agent_steps, speed, standard_stack, table

TURNS = 12  # as many agent-steps as the episodes of speed.py have
STEPS = 96
META_ROUNDS = 20

FACES: dict[str, dict[str, tuple[Any, Any]]] = {
    "matrix": {
        "structured": ({"kind": "C"}, {"kind": "D"}),
        "numeric": (0, 1),
        "text": ('{"kind": "C"}', '{"kind": "D"}'),
    },
    "coin_game": {
        "structured": ({"kind": "up"}, {"kind": "left"}),
        "numeric": (0, 2),
        "text": ('{"kind": "up"}', '{"kind": "left"}'),
    },
}
"""Game and face to the moves of both seats."""


def scalar_figures(repeats: int) -> list[Figure]:
    """Agent-steps a second of raw and public environments, repeats taken in turns."""
    import econzoo

    cases: dict[str, Callable[[], float]] = {"empty AEC, standard wrappers": agent_steps(standard_stack(), (5, 5))}
    for game, faces in FACES.items():
        for face, moves in faces.items():
            for name, make in (("raw", econzoo.make_raw), ("env()", econzoo.make)):
                cases[f"{game}, {name}, {face}"] = agent_steps(make(game, face=face, rounds=TURNS), moves)
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, measure in cases.items():
            taken[name].append(measure())
    empty = statistics.median(taken["empty AEC, standard wrappers"])
    figures = [speed(name, "agent-steps/s", values) for name, values in taken.items()]
    return [figure._replace(ratio=figure.median / empty) for figure in figures]


def rounds_together(game: str, kinds: tuple[int, int], repeats: int) -> list[float]:
    """Rounds a second of CPU time of one thread, many games at once."""
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch(game, GAMES, {"rounds": TURNS})
    moves = np.broadcast_to(np.array(kinds, np.int8), (GAMES, 2)).copy()
    batch.step(moves)

    def run() -> float:
        batch.reset(seed=0)
        start = time.thread_time()
        for _ in range(STEPS):
            batch.step(moves)
        return STEPS * GAMES / (time.thread_time() - start)

    return [run() for _ in range(repeats)]


def turns_of(pair: tuple[str, str], repeats: int) -> list[float]:
    """Turns a second, by the clock, of two library programs in the sandbox, meta-rounds of `TURNS` turns."""
    from econzoo.envs.families.open_source import library, play_meta_round
    from econzoo.envs.games.program_matrix import GAME

    params = GAME.params(turns=TURNS)[1]
    sources = [library.program("matrix", name) for name in pair]
    play_meta_round(GAME, params, sources, 0)

    def run() -> float:
        start = time.perf_counter()
        for seed in range(META_ROUNDS):
            play_meta_round(GAME, params, sources, seed)
        return META_ROUNDS * TURNS / (time.perf_counter() - start)

    return [run() for _ in range(repeats)]


def unprotected_turns(pair: tuple[str, str], repeats: int) -> list[float]:
    """The same turns with the programs run by `exec` in this process."""
    from econzoo.envs.families.open_source import library

    sources = [library.program("matrix", name) for name in pair]

    def run() -> float:
        start = time.perf_counter()
        for _ in range(META_ROUNDS):
            scopes: list[dict[str, Any]] = [{}, {}]
            for source, scope in zip(sources, scopes, strict=True):
                exec(source, scope)
            own, other = [scope["strategy_function"] for scope in scopes]
            mine: list[str] = []
            theirs: list[str] = []
            for _ in range(TURNS):
                first = own(list(mine), list(theirs), sources[0], sources[1])
                second = other(list(theirs), list(mine), sources[1], sources[0])
                mine.append(first)
                theirs.append(second)
        return META_ROUNDS * TURNS / (time.perf_counter() - start)

    return [run() for _ in range(repeats)]


def program_figures(repeats: int) -> list[Figure]:
    """Turns a second of programs; the ratio is to the unprotected ones."""
    unit, pair = "turns/s", ("tit_for_tat", "win_stay_lose_shift")
    bare = speed(f"{' and '.join(pair)} by exec, unprotected", unit, unprotected_turns(pair, repeats))
    pairs = (pair, ("clique_bot", "clique_bot"), ("fair_bot", "fair_bot"))
    figures = [bare] + [speed(f"{' and '.join(two)} in the sandbox", unit, turns_of(two, repeats)) for two in pairs]
    return [figure._replace(ratio=figure.median / bare.median) for figure in figures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=9, metavar="N", help="repeats of every measurement (default: 9)")
    args = parser.parse_args()
    repeats = max(1, args.repeats)
    figures = scalar_figures(repeats)
    for game, kinds in (("matrix", (0, 1)), ("coin_game", (0, 2))):
        figures.append(speed(f"{game}, vector, {GAMES:,} games", "rounds/s", rounds_together(game, kinds, repeats)))
    figures += program_figures(repeats)
    print(json.dumps([f._asdict() for f in figures], indent=2) if args.json else table(figures))


if __name__ == "__main__":
    main()
