"""How many moves a second our classics of the iterated prisoner's dilemma play, beside the Axelrod library in one run.

    python benchmarks/dilemmas.py [--json] [--repeats 3]

All pairs of 50 strategies and each against itself, 200 turns, one match each. Both sides play the same field: the names
of the strategies in the Axelrod library are in `econzoo.baselines.matrix.counterparts`. It needs
econzoo[fast,programs]. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

BUDGET = 10.0
"""How many times as many moves a second as the Axelrod library, at least."""

TURNS = 200
OURS = "ours, machine code"

FIELD = (
    *("cooperator", "defector", "alternator", "cycler", "mixed", "tit-for-tat", "suspicious-tit-for-tat"),
    *("tit-for-two-tats", "two-tits-for-tat", "hard-tit-for-tat", "hard-tit-for-two-tats", "tits-for-tats", "bully"),
    *("anti-tit-for-tat", "spiteful-tit-for-tat", "slow-tit-for-tat", "contrite-tit-for-tat", "grudger", "davis"),
    *("spiteful-cc", "soft-grudger", "gradual", "shubik", "go-by-majority", "hard-go-by-majority", "doubler"),
    *("short-memory", "win-stay-lose-shift", "win-shift-lose-stay", "generous-tit-for-tat", "firm-but-fair", "joss"),
    *("grofman", "stochastic-cooperator", "zd-extort", "zd-generous", "zd-set", "handshake", "collective", "prober"),
    *("detective", "gradual-killer", "tester", "remorseful-prober", "adaptive('sum')", "downing", "adaptive-pavlov"),
    *("omega-tit-for-tat", "all-or-none", "nydegger"),
)

PAIRS = len(FIELD) * (len(FIELD) + 1) // 2
MOVES = PAIRS * TURNS * 2


def ours(compiled: bool) -> Callable[[], Any]:
    """The round robin, as machine code or in plain Python."""
    from econzoo.evaluate.analyses.dilemmas import round_robin

    return lambda: round_robin(FIELD, turns=TURNS, compiled=compiled)


def axelrods() -> list[Any]:
    """The same field of the Axelrod library."""
    warnings.simplefilter("ignore")
    import axelrod

    from econzoo.baselines.matrix.counterparts import COUNTERPARTS

    return [getattr(axelrod, COUNTERPARTS[spec])() for spec in FIELD]


def axelrod_matches() -> None:
    """A bare loop over matches of the Axelrod library, without its tournament."""
    import axelrod

    field = axelrods()
    for seed, (one, other) in enumerate(combinations_with_replacement(field, 2)):
        pair = (one, other.clone() if one is other else other)
        axelrod.Match(pair, turns=TURNS, seed=seed).play()


def axelrod_tournament() -> None:
    """A tournament of the Axelrod library, which writes its results to a file and does not work them up."""
    import axelrod

    tournament = axelrod.Tournament(axelrods(), turns=TURNS, repetitions=1, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        tournament.play(filename=os.path.join(folder, "moves.csv"), build_results=False, progress_bar=False)


def first_call(cache: str) -> float:
    """Seconds of CPU of the first round robin in a new process, imports left out."""
    code = (
        "import time; import numba; from benchmark import ours; play = ours(True); start = time.process_time(); "
        "play(); print(time.process_time() - start)"
    ).replace("benchmark", Path(__file__).stem)
    env = {**os.environ, "ECONZOO_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, env=env, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measured(play: Callable[[], Any]) -> float:
    """Moves a second of CPU time."""
    start = time.process_time()
    play()
    return MOVES / (time.process_time() - start)


def cases() -> dict[str, Callable[[], Any]]:
    """What is measured, by name; whatever is slow the first time alone has been done once."""
    ours(compiled=True)()
    axelrods()  # imports take seconds and are no part of it
    return {
        OURS: ours(compiled=True),
        "ours, plain Python": ours(compiled=False),
        "Axelrod, Match": axelrod_matches,
        "Axelrod, Tournament": axelrod_tournament,
    }


def moves_a_second(repeats: int) -> dict[str, list[float]]:
    """Every case, in turns."""
    plays = cases()
    taken: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(max(1, repeats)):
        for name, play in plays.items():
            taken[name].append(measured(play))
    return taken


def first_calls() -> dict[str, float]:
    """Seconds of the first round robin of a process, without and with machine code of another process before it."""
    with tempfile.TemporaryDirectory() as cache:
        return {"compiling, nothing compiled before": first_call(cache), "compiled before": first_call(cache)}


def printed(taken: dict[str, list[float]], starts: dict[str, float]) -> None:
    """Prints medians, and how many times the Axelrod library's they are."""
    slow = {name: statistics.median(taken[f"Axelrod, {name}"]) for name in ("Match", "Tournament")}
    print(f"{len(FIELD)} strategies, {PAIRS:,} matches of {TURNS} turns, {MOVES:,} moves")
    print(f"{'moves a second':32} {'median':>12} {'best':>12} {'budget':>7} {'x Match':>8} {'x Tournament':>13}")
    for name, values in taken.items():
        middle, wanted = statistics.median(values), f"x {BUDGET:g}" if name == OURS else ""
        ratios = f"{middle / slow['Match']:>8.1f} {middle / slow['Tournament']:>13.1f}"
        print(f"{name:32} {middle:>12,.0f} {max(values):>12,.0f} {wanted:>7} {ratios}")
    for name, seconds in starts.items():
        print(f"first call in a process, {name}: {seconds:.1f} s of CPU")


def main() -> None:
    """Measures, and prints a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="repeats of every measurement (default: 3)")
    args = parser.parse_args()
    starts, taken = first_calls(), moves_a_second(args.repeats)
    if args.json:
        print(json.dumps({"moves": MOVES, "moves a second": taken, "seconds of the first call": starts}, indent=2))
    else:
        printed(taken, starts)


if __name__ == "__main__":
    main()
