"""How long all 1,320 configurations of GLEE take with scripted players, 100 games in each.

    python benchmarks/glee.py [--json] [--games 100] [--jobs 2] [--players random]

132,000 matches are played and recorded: one pair of players in each family. Wall time depends on the machine and on
what else it does, so the CPU time of all processes is shown as well, and moves per second of it beside the agent-steps
per second of an empty PettingZoo environment in the same run. See README.md in this folder.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from speed import agent_steps, standard_stack, versions

from econzoo.evaluate.analyses.glee_benchmark import results
from econzoo.evaluate.run import Design, missing_matches, record_files, run
from econzoo.evaluate.suites.glee import benchmark_designs

PLAYERS = ("bargaining=boulware(0.2)", "negotiation=concede(0.2)", "persuasion=honest", "persuasion=bayes")
"""One seating in each family; those of bargaining and negotiation take many rounds to agree with themselves."""


class Took(NamedTuple):
    """What a part of the work took.

    Attributes:
        name: Of the part.
        matches: How many records.
        moves: Of all of them.
        wall: Seconds.
        cpu: Seconds of all processes together.
    """

    name: str
    matches: int
    moves: int
    wall: float
    cpu: float


def cpu() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU seconds of some work."""
    wall, spent = time.perf_counter(), cpu()
    work()
    return time.perf_counter() - wall, cpu() - spent


def played(design: Design, folder: Path, jobs: int) -> list[Took]:
    """Plays a family and makes its table."""
    playing = timed(lambda: run(design, folder, jobs, todo=missing_matches(design, folder)))
    moves = sum(path.read_bytes().count(b'"reply":') for path in record_files(folder))
    return [
        Took(design.game, len(design), moves, *playing),
        Took("  its table", len(design), 0, *timed(lambda: results(folder))),
    ]


def total(parts: list[Took]) -> Took:
    """All parts together."""
    matches = sum(part.matches for part in parts if part.moves)
    return Took("all", matches, sum(p.moves for p in parts), sum(p.wall for p in parts), sum(p.cpu for p in parts))


WIDTHS = (9, 12, 9, 9, 11, 13, 9)


def format_table(parts: list[Took], empty: float) -> str:
    """The figures as people read them."""
    heads = ("matches", "moves", "wall s", "CPU s", "matches/s", "moves/CPU s", "x empty")
    lines = [" " * 14 + "".join(f"{head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True))]
    for name, matches, moves, wall, spent in parts:
        texts = [f"{matches:,}", f"{moves:,}", f"{wall:.1f}", f"{spent:.1f}"]
        texts += [f"{matches / wall:,.0f}", f"{moves / spent:,.0f}", f"{moves / spent / empty:.2f}"] if moves else []
        lines.append(f"{name:14}" + "".join(f"{text:>{width}}" for text, width in zip(texts, WIDTHS, strict=False)))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="in every configuration (default: 100)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--players", nargs="+", default=PLAYERS, metavar="PLAYER", help="as for econzoo run glee")
    parser.add_argument("--settings", nargs="+", default=["full"], help="subsets or families (default: full)")
    args = parser.parse_args()
    measure = agent_steps(standard_stack(), (5, 5))
    empty = statistics.median([measure() for _ in range(5)])
    with tempfile.TemporaryDirectory() as folder:
        designs = benchmark_designs(args.players, args.settings, args.games)
        parts = [part for design in designs.values() for part in played(design, Path(folder) / design.game, args.jobs)]
    parts.append(total(parts))
    if args.json:
        out = {"versions": versions(), "jobs": args.jobs, "empty": empty, "parts": [part._asdict() for part in parts]}
        print(json.dumps(out, indent=2))
        return
    print("  ".join(f"{name} {number}" for name, number in versions().items()) + f"  jobs {args.jobs}")
    print(f"empty AEC, standard wrappers: {empty:,.0f} agent-steps/s")
    print(format_table(parts, empty))


if __name__ == "__main__":
    main()
