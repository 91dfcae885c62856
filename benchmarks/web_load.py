"""How long a move takes in the browser table when many people play at once, and how much memory the server needs.

    python benchmarks/web_load.py [--people 50] [--think 0.5] [--rounds 10] [--seconds 60] [--json]

Starts ``econzoo serve`` here, seats pairs of people at the iterated prisoner's dilemma, and lets them play as
browsers do: each follows the stream of its seat, loads the table when that has changed, thinks, posts its move and
loads the page that follows. A move is timed from the post to the end of that page. It ends after so many rounds or
seconds, whichever is first, and asks nothing but this machine. It needs econzoo[web,browser] and Linux. See README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

MOST_PEOPLE, MOST_SECONDS = 400, 300
"""Bounds of the whole run."""

NUMBER = re.compile(r'data-number="(\d+)"')
LINK = re.compile(r'value="(http://[^"]+/s/[^"]+)"[^>]*data-testid="invite"')

PATIENCE = 5.0
"""Seconds after which somebody who waits looks all the same."""


class Run(NamedTuple):
    """What is played.

    Attributes:
        people: How many, in pairs.
        think: Seconds that each thinks before a move, on average; from half of it to one and a half.
        rounds: Of each match.
        seconds: After which everybody stops.
    """

    people: int
    think: float
    rounds: int
    seconds: float


async def follow(http: aiohttp.ClientSession, seat: str, news: asyncio.Event) -> None:
    """Tells of every line of the stream of a seat."""
    async with http.get(f"{seat}/events", timeout=aiohttp.ClientTimeout(total=None)) as stream:
        async for line in stream.content:
            if line.startswith(b"data:"):
                news.set()


async def person(http: aiohttp.ClientSession, seat: str, run: Run, until: float, took: list[float]) -> int:
    """Plays a seat; returns how many answers of the server were errors."""
    wrong, text, chance, news = 0, "", random.Random(seat), asyncio.Event()
    following = asyncio.create_task(follow(http, seat, news))
    while 'data-testid="payoff"' not in text and time.monotonic() < until:
        if 'name="kind"' not in text:
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), PATIENCE)
            news.clear()
            async with http.get(f"{seat}/table") as answer:
                text = await answer.text()
                wrong += answer.status != 200
            continue
        await asyncio.sleep(run.think * chance.uniform(0.5, 1.5))
        began, given = time.perf_counter(), {"number": NUMBER.findall(text)[0], "kind": chance.choice("CD")}
        async with http.post(f"{seat}/move", data=given) as answer:
            text = await answer.text()
            wrong += answer.status != 200
        took.append(time.perf_counter() - began)
    following.cancel()
    return wrong


async def seats_of(http: aiohttp.ClientSession, url: str, rounds: int) -> list[str]:
    """The two seats of a new match."""
    given = {"game": "matrix", "seat": "0", "player.0": "human", "player.1": "human", "param.rounds": str(rounds)}
    async with http.post(url, data=given) as answer:
        text = await answer.text()
        assert answer.status == 200, text[:500]
        return [str(answer.url).partition("?")[0], LINK.findall(text)[0]]


async def played(url: str, run: Run) -> dict[str, Any]:
    """Lets everybody play; returns times in milliseconds."""
    took: list[float] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=3)) as http:
        seats = [seat for _ in range(run.people // 2) for seat in await seats_of(http, url, run.rounds)]
        began = time.monotonic()
        wrong = await asyncio.gather(*[person(http, seat, run, began + run.seconds, took) for seat in seats])
    milliseconds = sorted(1000 * one for one in took)
    return {
        "people": len(seats),
        "moves": len(took),
        "errors": sum(wrong),
        "seconds": round(time.monotonic() - began, 1),
        "median_ms": round(statistics.median(milliseconds), 1),
        "p95_ms": round(milliseconds[int(0.95 * (len(milliseconds) - 1))], 1),
    }


def megabytes(process: int) -> float:
    """Memory of a process, as Linux tells it."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024, 1)


def cpu_seconds(process: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(run: Run) -> dict[str, Any]:
    """Starts a server in a folder of its own, and plays on it.

    Raises:
        ValueError: More people or seconds than a test on one machine should have.
    """
    if not 2 <= run.people <= MOST_PEOPLE or not 0 < run.seconds <= MOST_SECONDS:
        raise ValueError(f"allowed: 2 to {MOST_PEOPLE} people, at most {MOST_SECONDS} seconds")
    line = [sys.executable, "-m", "econzoo", "serve", "--port", "0", "--no-open"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            before, used = megabytes(server.pid), cpu_seconds(server.pid)
            found = asyncio.run(played(url, run))
            used = cpu_seconds(server.pid) - used
            memory = {"megabytes_before": before, "megabytes": megabytes(server.pid)}
            return {**found, "cpu_ms_a_move": round(1000 * used / max(1, found["moves"]), 1), **memory}
        finally:
            server.kill()


def main(arguments: list[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--think", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    found = measured(Run(given.people, given.think, given.rounds, given.seconds))
    if given.json:
        print(json.dumps(found))
        return
    print(f"{found['people']} people, {found['moves']} moves in {found['seconds']} s, {found['errors']} errors")
    print(
        f"a move takes {found['median_ms']} ms (median), {found['p95_ms']} ms (95%), {found['cpu_ms_a_move']} ms of CPU"
    )
    print(f"memory of the server: {found['megabytes_before']} MB at the start, {found['megabytes']} MB at the end")


if __name__ == "__main__":
    main()
