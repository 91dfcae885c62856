"""``econzoo web`` as it is typed: one address, a page there, and a match that outlives its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("uvicorn", reason="the web table needs the extra web")

import httpx
from visitor import Visitor

from econzoo.envs.core.record.record import Record
from econzoo.evaluate.replay import replay

COMMAND = "econzoo web --port 0 --no-open"


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """The address that the command prints, and its process."""
    line = [sys.executable, "-m", *COMMAND.split()]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ}) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip(), server.pid
        finally:
            server.kill()


def visitor_of(url: str) -> Visitor:
    return Visitor(httpx.Client(base_url=url, follow_redirects=True))


def test_a_match_goes_on_after_the_server_is_killed(tmp_path):
    with served(tmp_path) as (url, process):
        assert b"Play an economic game" in urlopen(url).read()
        visitor = visitor_of(url)
        visitor.start("matrix", param_rounds="2", player_1="tit-for-tat")
        visitor.move("C")
        os.kill(process, signal.SIGKILL)
    with served(tmp_path) as (url, _):
        again = visitor_of(url)
        again.open(visitor.path)
        again.move("D")
        record = Record.from_json(again.record().text)
    assert [turn.action["kind"] for turn in record.turns if turn.seat == 0] == ["C", "D"]
    assert replay(record) == []
