"""``econzoo serve`` as it is typed: one address, a page there, and a match that outlives its process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("uvicorn", reason="the web table needs the extra web")

import httpx
from visitor import Visitor

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay

COMMAND = "econzoo serve --port 0 --no-open"
"""As docs/playing.md has it."""


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[tuple[str, int]]:
    """The address that the command prints, and its process."""
    line = [sys.executable, "-m", *COMMAND.replace("--port 0", f"--port {port}").split()]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip(), server.pid
        finally:
            server.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


MOVES = "CDDC"


def play(visitor: Visitor, killed: Callable[[], None]) -> bool:
    """Answers the questions that come, until the server is killed; returns whether the match is over."""
    try:
        visitor.look()
        while not visitor.over:
            number = int(visitor.page.move_forms[0].inputs[0].value)
            if number % 2:  # otherwise between two moves
                threading.Timer(0.001 * (number % 7), killed).start()
            visitor.move(MOVES[number % 4])
            killed()
            visitor.look()
    except httpx.TransportError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.long)])
def test_nothing_is_lost_and_nothing_doubled_when_the_server_is_killed(tmp_path, kills):
    """Before, during and after moves; whoever has the page open goes on under the same address."""
    port = free_port()
    visitor = Visitor(httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True))
    with served(tmp_path, port) as (url, _):
        assert b"Play an economic game" in urlopen(url).read()
        visitor.start("matrix", param_rounds=str(2 * kills), player_1="tit-for-tat")
    for _ in range(kills - 1):  # the first server is killed already
        with served(tmp_path, port) as (_, process):
            assert not play(visitor, partial(os.kill, process, signal.SIGKILL))
    with served(tmp_path, port):
        assert play(visitor, lambda: None)
        record = Record.from_json(visitor.record().text)
    assert replay(record) == []
    own = [turn.action["kind"] for turn in record.turns if turn.seat == 0]
    assert own == [MOVES[number % 4] for number in range(2 * kills)]
    assert len((tmp_path / "econzoo_web" / "matches.jsonl").read_text(encoding="utf-8").splitlines()) == 1
