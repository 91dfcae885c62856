"""What a match costs on the engine ray, beside the local one: time, memory of the process that runs, size on disk.

    python benchmarks/engines.py [--matches 1000 10000] [--jobs 2] [--json]

Plays so many matches of bargaining between ten scripted players whose arguments are drawn anew for every match, so that
no match is another once more, on each engine in a process of its own. The Ray cluster is a new one on this machine: so
this is what Ray adds, not what several machines take away. It needs econzoo[cluster] and Linux. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from econzoo.evaluate.run import ENGINES, LOCAL, new_design, open_engine, run

PLAYERS = [f"boulware(e~loguniform(0.{n},0.9),low~uniform(0,0.5))" for n in range(10, 20)]


class Took(NamedTuple):
    """What a run took.

    Attributes:
        start: Seconds until the engine was there; workers start later, and count as play.
        play: Seconds until all matches were recorded, from then on.
        planned: Megabytes of the process before the first match, at most.
        megabytes: The same at the end, at most.
        disk: Megabytes of the folder.
    """

    start: float
    play: float
    planned: float
    megabytes: float
    disk: float


def play(engine: str, matches: int, jobs: int, folder: Path) -> None:
    """Plays, and prints seconds and megabytes."""
    design = new_design("bargaining", PLAYERS, seeds=max(1, round(matches / len(PLAYERS) ** 2)))
    began = time.perf_counter()
    with open_engine(engine):
        started, planned = time.perf_counter(), peak()
        run(design, folder, jobs)
        print(json.dumps([started - began, time.perf_counter() - started, planned, peak()]))


def peak() -> float:
    """Megabytes of this process, at most, until now."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def took(engine: str, matches: int, jobs: int) -> Took:
    """Plays in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, __file__, "--engine", engine, "--matches", str(matches), "--jobs", str(jobs)]
        done = subprocess.run([*words, "--folder", folder], stdout=subprocess.PIPE, check=True)
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        return Took(*json.loads(done.stdout.splitlines()[-1]), disk / 2**20)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, nargs="+", default=[1000, 10_000], help="rounded to hundreds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="workers")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.folder:
        play(args.engine, args.matches[0], args.jobs, args.folder)
        return
    for count in args.matches:
        found: dict[str, Took] = {}
        for engine in ENGINES:
            one = found[engine] = took(engine, count, args.jobs)
            beside = one.play / found[LOCAL].play
            if args.json:
                print(json.dumps({"matches": count, "engine": engine, **one._asdict(), "beside": beside}), flush=True)
                continue
            print(
                f"{count:>9,} matches, {engine:5}: start {one.start:5.1f} s, {1e6 * one.play / count:7,.0f} us each, "
                f"{beside:.2f} x local; {one.planned:.0f} MB before, {one.megabytes:.0f} MB at most; "
                f"{one.disk:.1f} MB on disk",
                flush=True,
            )


if __name__ == "__main__":
    main()
