"""How many days of water allocation EconZoo plays in a second, beside a plain simulator in the same run.

    python benchmarks/water.py [--json] [--repeats 9]

The plain simulator below is what one would write for an afternoon: residents as objects, bids in a dictionary, no
environment, no checks, no records. All play the same canned bids in the paper's scarce town. See README.md.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

PUBLIC = 18_000
"""Days a second of the public simulator with canned bids and without its logging, as reported for a 2-core machine."""

SUPPLY, DAYS, GAMES, TOWNS = (10, 20), 20, 100, 10_000
RESIDENTS = (("Alex", 8, 70.0), ("Bob", 9, 75.0), ("Cindy", 10, 100.0), ("David", 11, 120.0), ("Eric", 12, 120.0))


def canned(day: int, seat: int) -> float:
    """Bids that keep some alive and let some die."""
    return float((37 * day + 53 * seat) % 90)


@dataclass
class Resident:
    """A resident of the plain simulator."""

    name: str
    requirement: int
    salary: float
    balance: float = 0.0
    health: int = 8
    dry: int = 0


def plain_day(living: list[Resident], supply: int, bids: dict[str, float]) -> list[Resident]:
    """One day of the plain simulator; gives who is alive after it."""
    left = supply
    for resident in living:
        resident.balance += resident.salary
    served = set()
    for resident in sorted(living, key=lambda one: (-bids[one.name], one.requirement)):
        if bids[resident.name] <= resident.balance and resident.requirement <= left:
            left -= resident.requirement
            resident.balance -= bids[resident.name]
            served.add(resident.name)
    for resident in living:
        resident.dry = 0 if resident.name in served else resident.dry + 1
        resident.health = min(10, resident.health + 2) if resident.name in served else resident.health - resident.dry
    return [resident for resident in living if resident.health > 0]


def plain_games() -> int:
    """Plays games of the plain simulator; gives the days played."""
    bids = [{name: canned(day, seat) for seat, (name, _, _) in enumerate(RESIDENTS)} for day in range(DAYS)]
    days = 0
    for seed in range(GAMES):
        rng = random.Random(seed)
        living = [Resident(*one) for one in RESIDENTS]
        for day in range(DAYS):
            if not living:
                break
            living = plain_day(living, rng.randint(*SUPPLY), bids[day])
            days += 1
    return days


def raw_together() -> Callable[[], int]:
    """The raw environment, all bids of a day at once (`GameEnv.step_together`), as plain dictionaries."""
    import econzoo

    env = econzoo.make_raw("water_allocation", face="structured", supply=SUPPLY, days=DAYS)
    bids = [{a: {"bid": canned(day, i)} for i, a in enumerate(env.possible_agents)} for day in range(DAYS)]

    def play() -> int:
        days = 0
        for seed in range(GAMES):
            env.reset(seed=seed)
            day = 0
            while not env.over:
                env.step_together(bids[day])
                day += 1
            days += day
        return days

    return play


def raw_in_turn() -> Callable[[], int]:
    """The raw environment, resident by resident."""
    import econzoo

    env = econzoo.make_raw("water_allocation", face="structured", supply=SUPPLY, days=DAYS)
    bids = [{a: {"bid": canned(day, i)} for i, a in enumerate(env.possible_agents)} for day in range(DAYS)]

    def play() -> int:
        days = 0
        for seed in range(GAMES):
            env.reset(seed=seed)
            while not env.over:
                agent = env.agent_selection
                env.step(None if env.terminations[agent] else bids[env.game_state.round - 1][agent])
            days += env.game_state.round
        return days

    return play


def parallel(face: str) -> Callable[[], int]:
    """The parallel environment with the observations, rewards and infos of everybody after every day."""
    import econzoo

    env = econzoo.make_parallel("water_allocation", face=face, supply=SUPPLY, days=DAYS)
    actions: list[dict[str, Any]] = []
    for day in range(DAYS):
        bids = [canned(day, seat) for seat in range(len(RESIDENTS))]
        shown = bids if face == "numeric" else [{"bid": bid} for bid in bids]
        actions.append({f"player_{i}": int(one) if face == "numeric" else one for i, one in enumerate(shown)})

    def play() -> int:
        days = 0
        for seed in range(GAMES):
            env.reset(seed=seed)
            day = 0
            while env.agents:
                env.step(actions[day])
                day += 1
            days += day
        return days

    return play


def vector(observing: bool) -> Callable[[], int]:
    """The vector environment: 10,000 towns on one thread, with automatic restarts."""
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch("water_allocation", TOWNS, {"supply": SUPPLY, "days": DAYS}, seed=0)
    kinds = np.zeros((TOWNS, len(RESIDENTS)), np.int64)
    bids = [np.tile([canned(day, i) for i in range(len(RESIDENTS))], (TOWNS, 1)) for day in range(DAYS)]
    batch.step(kinds, bids[0])
    batch.observe(0)

    def play() -> int:
        for day in range(DAYS):
            batch.step(kinds, bids[day])
            if observing:
                batch.observe(0)
        return DAYS * TOWNS

    return play


def measured(play: Callable[[], int]) -> float:
    """Days a second of CPU time of this thread."""
    start = time.thread_time()
    return play() / (time.thread_time() - start)


def cases() -> dict[str, tuple[float | None, Callable[[], int]]]:
    """Name, budget and what is played."""
    return {
        "plain simulator": (None, plain_games),
        "raw, all bids at once": (2 * PUBLIC, raw_together()),
        "raw, resident by resident": (None, raw_in_turn()),
        "parallel, numeric, everything observed": (None, parallel("numeric")),
        "parallel, structured, everything observed": (None, parallel("structured")),
        "vector, 10,000 towns": (50 * PUBLIC, vector(observing=False)),
        "vector, 10,000 towns, one seat observed": (None, vector(observing=True)),
    }


def main() -> None:
    """Measures in turns and prints medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=9, metavar="N", help="repeats of every measurement (default: 9)")
    args = parser.parse_args()
    made = cases()
    taken: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(max(1, args.repeats)):
        for name, (_, play) in made.items():
            taken[name].append(measured(play))
    plain = statistics.median(taken["plain simulator"])
    if args.json:
        print(json.dumps(taken, indent=2))
        return
    heads = f"{'median':>12} {'best':>12} {'budget':>9} {'x plain':>8} {'x public':>9}"
    print(f"{'days of five residents a second':44} {heads}")
    for name, values in taken.items():
        middle, budget = statistics.median(values), made[name][0]
        wanted = "" if budget is None else f"{budget:,.0f}"
        ratios = f"{middle / plain:>8.2f} {middle / PUBLIC:>9.2f}"
        print(f"{name:44} {middle:>12,.0f} {max(values):>12,.0f} {wanted:>9} {ratios}")


if __name__ == "__main__":
    main()
