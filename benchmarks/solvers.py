"""General-sum solvers side by side: one row for each game, method and seed in docs/solvers.csv, and its tables.

    python benchmarks/solvers.py --seeds 10

Rows that are there are not computed again. What is compared, and by which criterion, is in docs/solvers.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import tempfile
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from econzoo.evaluate.analyses.exploitability import exploitability
from econzoo.evaluate.analyses.exploitability.results import SettingExploitability
from econzoo.evaluate.analyses.exploitability.tabular import solve
from econzoo.evaluate.show import write_csv
from econzoo.evaluate.stats import mean_of_draws

TABLE = Path(__file__).resolve().parents[1] / "docs" / "solvers.csv"
HEADS = ("game", "method", "seed", "exploitability", "distance", "gains", "cpu_seconds")
MARGIN, LEVEL = 0.005, 0.05


class Small(NamedTuple):
    """A game with one setting, the grid of its amounts, and the number of values of nature."""

    params: dict[str, Any]
    grid: int = 2
    nature: int = 2


GAMES = {
    "bargaining": Small({"horizon": 2, "delta": (0.9, 0.8)}, 21),
    "negotiation": Small({"horizon": 2, "seller_value": 0.8, "buyer_value": 1.5}, 21),
    "double_auction": Small({"talk": 0}, 21, 10),
    "matrix": Small({"stage_game": "chicken", "rounds": 3}),
    "guess_average": Small({"players": 3, "rounds": 1, "high": 10, "factor": 0.7}),
    "multi_issue": Small(
        {"items": (1, 2), "values": ((4, 3), (2, 4)), "complete_information": True, "horizon": 3},
    ),
}

NETWORK = {"memory": "none", "fourier": 3, "net": [64, 64], "epochs": 3, "timesteps": 300_000}
LEARNED: dict[str, dict[str, Any]] = {
    "ppo": {"opponents": ["self"], "entropy": 0.3, "entropy_end": 0.005, "entropy_decay": "exponential"},
    "psro": {"opponents": ["league"], "league_rounds": 8, "entropy": 0.1, "entropy_end": 0.005},
    "ppo-magnet": {"opponents": ["self"], "entropy": 0.005, "entropy_end": 0.005}
    | {"magnet": 0.1, "magnet_every": 30_000},
}
TABULAR = ("cfr", "mmd", "r-nad")
METHODS = (*LEARNED, *TABULAR)


def measure(game: str, method: str, seed: int) -> SettingExploitability:
    """Train or solve, and measure exactly."""
    small = GAMES[game]
    if method in TABULAR:
        return solve(game, small.params, method, small.grid, small.nature, seed=seed)
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / method
        quiet = {"eval_every": 0, "eval_episodes": 2, "checkpoint_every": 0, "progress": False}
        task = {"settings": json.dumps(small.params), "grid": small.grid, "grid_range": None}
        train_ppo(PPORecipe(game, seed=seed, out=out, **task, **quiet, **NETWORK, **LEARNED[method]))
        return exploitability(f"ppo:{out}?deterministic=0", game, [small.params], nature=small.nature).settings[0]


def run(known: list[dict[str, str]], seeds: int) -> None:
    """Add the missing rows, seed by seed."""
    there = {(row["game"], row["method"], int(row["seed"])) for row in known}
    for case in [(game, method, seed) for seed in range(seeds) for game in GAMES for method in METHODS]:
        if case in there:
            continue
        begun = time.process_time()
        found = measure(*case)
        seconds = time.process_time() - begun
        gains = " ".join(f"{gain:.4f}" for gain in found.own)
        cells = (*case, f"{found.exploitability:.6f}", f"{found.distance:.6f}", gains, f"{seconds:.1f}")
        known.append(dict(zip(HEADS, map(str, cells), strict=True)))
        write_csv(TABLE, HEADS, [[row[head] for head in HEADS] for row in known])


def print_tables(rows: list[dict[str, str]]) -> None:
    """Print means over seeds, and the comparison of PPO with each other method."""
    found = {(row["game"], row["method"], int(row["seed"])): row for row in rows}
    seeds = sorted({seed for *_, seed in found})
    seeds = [seed for seed in seeds if all((game, method, seed) in found for game in GAMES for method in METHODS)]
    print(f"{len(seeds)} complete seeds\n")
    if not seeds:
        return
    for what in ("exploitability", "distance"):
        print(f"| {what} |", " | ".join(METHODS), "|\n|---|" + "---|" * len(METHODS))
        for game in GAMES:
            means = [fmean(float(found[game, method, seed][what]) for seed in seeds) for method in METHODS]
            print(f"| `{game}` |", " | ".join("" if math.isnan(mean) else f"{mean:.4f}" for mean in means), "|")
        print()
    if len(seeds) < 2:
        return
    losses = {
        method: [
            fmean(
                float(found[game, "ppo", seed]["exploitability"]) - float(found[game, method, seed]["exploitability"])
                for game in GAMES
            )
            for seed in seeds
        ]
        for method in METHODS[1:]
    }
    # Holm: the clearest difference is tested at the strictest level, and the first that fails ends the tests.
    clear = sorted(losses, key=lambda method: (fmean(losses[method]) - MARGIN) / (stdev(losses[method]) or 1e-12))
    holds = True
    print("| PPO less | difference | upper end | level | not worse by more than 0.005 |\n|---|---|---|---|---|")
    for place, method in enumerate(clear):
        level = LEVEL / (len(clear) - place)
        ends = mean_of_draws(losses[method], 1 - 2 * level)
        holds = holds and ends.high < MARGIN
        print(f"| {method} | {ends.mean:+.4f} | {ends.high:+.4f} | {level:.4f} | {'yes' if holds else 'not shown'} |")


def main() -> None:
    """Adds rows and prints the tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=0, help="seeds 0, 1, ...; 0: only print what is there")
    known = list(csv.DictReader(TABLE.open(encoding="utf-8"))) if TABLE.exists() else []
    run(known, parser.parse_args().seeds)
    print_tables(known)


if __name__ == "__main__":
    main()
