"""How long report, export and replay of many matches take, beside what it took to play them, and how much memory.

    python benchmarks/records.py [--matches 3000 12000] [--folder DIR] [--json]

Plays so many matches of bargaining between ten scripted players whose arguments are drawn anew for every match, so that
no match is another once more; then runs each command on them in a process of its own. Seconds are CPU seconds of one
process. It needs econzoo[evaluate,parquet] and Linux. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PLAYERS = [f"boulware(e~loguniform(0.{n},0.9),low~uniform(0,0.5))" for n in range(10, 20)]

ECONZOO = ("-m", "econzoo")

PLAY = (*ECONZOO, "run", "bargaining", *PLAYERS, "--seeds", "{seeds}", "--jobs", "1", "--out", "{folder}")

RESUME = """
import sys
from econzoo.evaluate.run.design import read_design
from econzoo.evaluate.run.tournament import missing_matches
print(len(missing_matches(read_design(sys.argv[1]), sys.argv[1])))
"""
"""What a command does that goes on, before it plays."""

COMMANDS = {
    "resume": ("-c", RESUME, "{folder}"),
    "report": (*ECONZOO, "analyze", "{folder}", "--out", "{out}", "--format", "csv"),
    "report, all replayed": (*ECONZOO, "analyze", "{folder}", "--out", "{out}", "--format", "csv", "--replay", "all"),
    "csv": (*ECONZOO, "convert", "{folder}", "{out}/tables", "--to", "csv"),
    "parquet": (*ECONZOO, "convert", "{folder}", "{out}/tables", "--to", "parquet"),
    "replay": (*ECONZOO, "replay", "{folder}"),
    "merge": (*ECONZOO, "convert", "{folder}", "{out}/records.jsonl.gz"),
}


class Took(NamedTuple):
    """What a process took.

    Attributes:
        seconds: Of CPU.
        megabytes: Of memory, at most.
    """

    seconds: float
    megabytes: float


def took(words: list[str]) -> Took:
    """Runs a command to its end."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return Took(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measured(matches: int, folder: Path) -> dict[str, Took]:
    """Plays about so many matches into a folder, and runs every command on them."""
    seeds = max(1, round(matches / len(PLAYERS) ** 2))
    found = {}
    for name, words in {"play": PLAY, **COMMANDS}.items():
        given = [word.format(folder=folder / "records", out=folder / name, seeds=seeds) for word in words]
        found[name] = took([sys.executable, *given])
    return found


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, nargs="+", default=[3000, 12000], help="rounded to hundreds")
    parser.add_argument("--folder", type=Path, help="where matches and results stay; default: nowhere")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    every: dict[int, dict[str, Took]] = {}
    with tempfile.TemporaryDirectory() as fresh:
        for matches in args.matches:
            every[matches] = measured(matches, (args.folder or Path(fresh)) / str(matches))
    if args.json:
        print(json.dumps({n: {name: one._asdict() for name, one in found.items()} for n, found in every.items()}))
        return
    for matches, found in every.items():
        print(f"{matches:,} matches")
        for name, one in found.items():
            part = one.seconds / found["play"].seconds
            print(f"  {name:8} {one.seconds:8.1f} s  {part:6.2f} of play  {one.megabytes:7.0f} MB")
    if len(every) > 1:
        (few, first), (many, last) = min(every.items()), max(every.items())
        print(f"a further match, from {few:,} to {many:,}")
        play = (last["play"].seconds - first["play"].seconds) / (many - few)
        for name, one in last.items():
            seconds = (one.seconds - first[name].seconds) / (many - few)
            kilobytes = 1024 * (one.megabytes - first[name].megabytes) / (many - few)
            print(f"  {name:8} {1000 * seconds:8.2f} ms {seconds / play:6.2f} of play  {kilobytes:7.1f} kB")


if __name__ == "__main__":
    main()
