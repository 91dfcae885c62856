"""Runs that are killed or interrupted: they end at once, go on in the middle of a match and pay for nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("openai")

from given_commands import command, filled, lasting
from mortal_players import ASLEEP
from tiny_llama import build

from models.faults import PATIENCE, BadDay
from refusals import says

pytestmark = pytest.mark.usefixtures("alone")

SHORT = ["play", "tournament", "judge"]
LONG = [
    pytest.param(name, marks=pytest.mark.long)
    for name in ("run guess", "evaluate", "run sparc", "run glee", "programs")
]

LONG_ENOUGH = 120
"""Seconds after which something that is waited for does not come any more."""

KILLED_AT = 4
"""The call at which a run is killed: all before have been answered."""


@pytest.fixture
def matches(alone: None) -> None:
    command("play", "bargaining", "fair", "fair", "--matches", 2, "--out", "m.jsonl")


@contextmanager
def started(*words: str, line: Sequence[str] = (sys.executable, "-m", "econzoo")) -> Iterator[subprocess.Popen[str]]:
    """The command line in a process of its own, and in a group of processes, as a terminal starts it."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([*line, *words], stderr=subprocess.PIPE, text=True, start_new_session=True, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def kept() -> list[str]:
    """All that a run has written down."""
    return lasting(line for path in Path("o").rglob("*.jsonl") for line in path.read_text().splitlines())


@pytest.mark.slow
@pytest.mark.usefixtures("matches")
@pytest.mark.parametrize("name", [*SHORT, *LONG])
def test_a_run_that_is_killed_in_a_match_goes_on_there(name: str) -> None:
    """The same is written as on a good day; the only call that may be paid twice is the one that was under way."""
    with BadDay({}) as good:
        assert command(*filled(name, good.spec)) == 0
    whole = kept()
    Path("o").rename("good")

    def kill(call: int) -> None:
        if call == KILLED_AT:
            process.kill()

    with BadDay(kill) as server:
        with started(*filled(name, server.spec)) as process:
            assert process.wait() == -signal.SIGKILL
        assert server.calls == KILLED_AT
        assert command(*filled(name, server.spec)) == 0
    assert kept() == whole
    assert not good.paid - server.paid
    assert (server.paid - good.paid).total() <= 1
    assert not list(Path("o").rglob("*.calls"))


@contextmanager
def silent() -> Iterator[tuple[str, threading.Event]]:
    """A server that answers one call and then none until all is over: a player that has patience, and when it waits."""
    waits, over = threading.Event(), threading.Event()

    def wait(call: int) -> None:
        if call > 1:
            waits.set()
            over.wait()

    with BadDay(wait) as server:
        yield server.spec.replace(f"timeout={PATIENCE}", "timeout=3600"), waits
        over.set()


def interrupted(process: subprocess.Popen[str]) -> str:
    """What a process says at Ctrl-C, which all of its group get."""
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=LONG_ENOUGH)[1]
    assert process.returncode == 130
    return said


@pytest.mark.slow
@pytest.mark.usefixtures("matches")
@pytest.mark.parametrize("name", ["tournament", *LONG])
def test_ctrl_c_waits_for_no_server_and_loses_no_reply(name: str) -> None:
    with silent() as (spec, waits), started(*filled(name, spec)) as process:
        assert waits.wait(LONG_ENOUGH)
        assert interrupted(process).startswith("stopped")
    (calls,) = Path("o").rglob("*.calls")
    assert len(calls.read_text().strip().splitlines()) == 1


@pytest.mark.long
@pytest.mark.usefixtures("matches")
def test_ctrl_c_is_answered_within_a_second(tmp_path: Path) -> None:
    """Large libraries are loaded, and a server is waited for."""
    pytest.importorskip("transformers")
    tiny = f"hf:{build(tmp_path / 'tiny')}"
    took = []
    for _ in range(3):
        with silent() as (spec, waits), started("play", "bargaining", tiny, spec, "--matches", "9") as process:
            assert waits.wait(LONG_ENOUGH)
            since = time.monotonic()
            interrupted(process)
            took.append(time.monotonic() - since)
    assert min(took) < 1


PENNIES = """
import econzoo, mortal_players
from econzoo.__main__ import main
from toy_games import PENNIES

econzoo.register_game("pennies", PENNIES, players=mortal_players)
main()
"""


@pytest.mark.slow
def test_ctrl_c_waits_for_no_process_and_leaves_none() -> None:
    """Two processes, with lists of matches of their own, sleep in the first of them."""
    words = (
        "tournament",
        "pennies",
        "sleeper",
        "--lineups",
        "sleeper | sleeper",
        "--seeds",
        "64",
        "--jobs",
        "2",
        "--out",
        "o",
    )
    with started(*words, line=(sys.executable, "-c", PENNIES)) as process:
        until = time.monotonic() + LONG_ENOUGH
        while len(asleep := list(Path().glob(f"{ASLEEP}*"))) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        says(interrupted(process), "stopped", "o")
    for path in asleep:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.suffix[1:]), 0)
    assert len(asleep) == 2
