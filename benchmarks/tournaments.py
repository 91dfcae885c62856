"""How many moves a second tournaments of classic strategies play, beside the Axelrod library in one run.

    python benchmarks/tournaments.py [--seeds 20] [--repeats 3]

Six strategies, all ordered pairs, 200 turns with noise 0.05. Ours makes the JSON lines of the records, with turns or
without, in machine code and at the table; the library's bare loop over `Match` keeps no records. Figures are moves a
second of CPU time, medians of repeats taken in turns. It needs econzoo[fast,programs]. See README.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

from econzoo.evaluate.run import new_design
from econzoo.evaluate.run.compiled_matches import play_compiled
from econzoo.evaluate.run.match import PlayerCache, group_by_setting, play_matches

PLAYERS = {
    "tit-for-tat": "TitForTat",
    "random": "Random",
    "grudger": "Grudger",
    "cooperator": "Cooperator",
    "defector": "Defector",
    "alternator": "Alternator",
}
TURNS, NOISE = 200, 0.05


def ours(seeds: int) -> dict[str, Callable[[], int]]:
    """The ways of a tournament of ours; each returns the number of matches."""
    design = new_design("matrix", [*PLAYERS], settings=[{"rounds": TURNS, "noise": NOISE}], seeds=seeds)
    matches, cast = group_by_setting(design.matches()), PlayerCache("matrix")
    few = matches[:: max(1, len(matches) // 36)]
    return {
        "without turns": lambda: sum(map(len, play_compiled(matches, cast, turns=False))),
        "with turns": lambda: sum(map(len, play_compiled(matches, cast))),
        "at the table": lambda: sum(record.to_json()[:1] == "{" for record in play_matches(few, cast)),
    }


def axelrods(seeds: int) -> int:
    """Plays the same pairs with the library."""
    import axelrod

    field = [getattr(axelrod, name)() for name in PLAYERS.values()]
    for seed in range(seeds):
        for one in field:
            for other in field:
                axelrod.Match([one.clone(), other.clone()], turns=TURNS, noise=NOISE, seed=seed).play()
    return seeds * len(field) ** 2


def main() -> None:
    """Prints speeds, and their ratios to the library's."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    ways = {**ours(args.seeds), "Axelrod, Match": lambda: axelrods(max(1, args.seeds // 10))}
    ours(1)["without turns"]()  # compiles
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(args.repeats):
        for name, play in ways.items():
            begun = time.process_time()
            moves = play() * TURNS * 2
            speeds[name].append(moves / (time.process_time() - begun))
    last = statistics.median(speeds["Axelrod, Match"])
    for name, found in speeds.items():
        median = statistics.median(found)
        print(f"{name:16} {median:12,.0f} moves a CPU-second, {median / last:.2f} times Axelrod's")


if __name__ == "__main__":
    main()
