"""Every server has the same front door: nobody passes it from another site, under another name, or without the key."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="servers need the extra web")
pytest.importorskip("uvicorn", reason="servers need the extra web")

from doors import LONG, at_the_door
from econzoo.baselines import KEY
from econzoo.evaluate.adapters import player_app
from econzoo.evaluate.serving import FrontDoor, Rules, connections, front_door, local_rules
from econzoo.people.study import example_study
from refusals import refuses

pytestmark = pytest.mark.slow

EVIL = "evil.example"


class Served(NamedTuple):
    """A command that listens, and requests that reach it: one that reads, and one that posts."""

    command: str
    reads: str
    posts: str
    needs: str = "uvicorn"


SERVERS = {
    "table": Served("serve --no-open", "/", "/"),
    "study": Served("serve matrix.toml", "/study/matrix", "/p/x/consent"),
    "player": Served("serve player fair", "/", "/chat"),
    "openenv": Served("serve openenv matrix", "/health", "/reset", "openenv"),
    "mcp": Served("serve mcp matrix --http", "/mcp", "/mcp", "mcp"),
}


@contextmanager
def started(folder: Path, command: str, **more: str) -> Iterator[str]:
    """The address that a command prints."""
    line = [sys.executable, "-m", "econzoo", *command.split(), "--port", "0"]
    given = {"cwd": folder, "env": {**os.environ, **more}, "text": True}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **given) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


class Answer(NamedTuple):
    status: int
    body: str
    cookie: str


def ask(url: str, method: str, path: str, body: str = "", **headers: str) -> Answer:
    """Asks as any client does; words of headers are joined by dashes."""
    parts = urlsplit(url)
    made = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=LONG)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    made.request(method, path, body.encode() or None, {"Content-Type": "application/json", **names})
    answer = made.getresponse()
    told = Answer(answer.status, answer.read().decode(), (answer.headers["set-cookie"] or "").partition(";")[0])
    made.close()
    return told


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    """Each server in turn, as it is started."""
    served, folder = SERVERS[request.param], tmp_path_factory.mktemp(request.param)
    if find_spec(served.needs) is None:
        pytest.skip(f"needs {served.needs}")
    (folder / "matrix.toml").write_text(example_study("matrix", "matrix.toml"))
    with started(folder, served.command) as url:
        yield url, served


def test_a_page_of_another_site_reaches_nothing(server):
    url, served = server
    for headers in ({"Origin": f"http://{EVIL}"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
        assert ask(url, "POST", served.posts, "{}", **headers).status == 403, headers
    own = f"http://{urlsplit(url).netloc}"
    assert ask(url, "POST", served.posts, "{}", Origin=own, Sec_Fetch_Site="same-origin").status != 403
    # A link from elsewhere is how people come.
    assert ask(url, "GET", served.reads, Sec_Fetch_Site="cross-site").status != 403


def test_nor_does_its_socket(server):
    url, _ = server
    shake = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    shake |= {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    for origin in (f"http://{EVIL}", f"https://{urlsplit(url).hostname}.{EVIL}"):
        assert ask(url, "GET", "/ws", Origin=origin, **shake).status == 403


def test_a_name_that_resolves_to_this_machine_is_not_answered(server):
    url, served = server
    port = urlsplit(url).port
    for host in (EVIL, f"{EVIL}:{port}", f"localhost.{EVIL}", f"127.0.0.1@{EVIL}:{port}", "[", ""):
        assert ask(url, "GET", served.reads, Host=host).status == 400, host
    assert ask(url, "GET", served.reads, Host=f"localhost:{port}").status not in (400, 421)


def test_three_hundred_half_requests_keep_nobody_out(server):
    url, served = server
    address = (urlsplit(url).hostname, urlsplit(url).port)
    head = f"POST {served.posts} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    with ExitStack() as held:
        for number in range(300):
            half = held.enter_context(socket.create_connection(address, timeout=LONG))
            half.sendall(head if number % 2 else head + b"Content-Length: 99999\r\n\r\n" + b"x" * 9_999)
        began = time.monotonic()
        assert ask(url, "GET", served.reads).status < 500
        assert time.monotonic() - began < 5


def test_a_body_beyond_the_limit_is_refused_before_it_is_sent(server):
    url, served = server
    made = HTTPConnection("127.0.0.1", urlsplit(url).port or 0, timeout=LONG)
    made.putrequest("POST", served.posts)
    made.putheader("Content-Length", "10000001")
    made.endheaders()
    assert made.getresponse().status == 413
    made.close()


# Programs: a player on another address than that of this machine


def chat(url: str, **headers: str) -> Answer:
    return ask(url, "POST", "/chat", json.dumps({"messages": []}), **headers)


def test_a_player_for_other_machines_needs_a_key(tmp_path):
    key = "a key of many characters"
    with started(tmp_path, "serve player fair --host 127.0.0.2", **{KEY: key}) as url:
        assert [chat(url).status, chat(url, X_API_Key="guessed").status] == [401, 401]
        for given in ({"X_API_Key": key}, {"Authorization": f"Bearer {key}"}, {"X_API_Key": key, "Host": EVIL}):
            answer = chat(url, **given)
            assert (answer.status, "observation" in answer.body) == (400, True)
    with refuses(ValueError, "--host", "0.0.0.0", 16):
        local_rules("0.0.0.0", "too short")


def test_who_sends_a_byte_now_and_then_is_given_up(monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(front_door, "BODY_SECONDS", 0.5)
    head = b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with at_the_door(player_app("fair"), local_rules()) as url:
        for begun in (head + b"X: ", head + b"Content-Length: 99\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=0.1) as made:
                made.sendall(begun)
                began, told = time.monotonic(), b""
                while not told and time.monotonic() - began < LONG:
                    made.sendall(b"a")
                    try:
                        told = made.recv(4096)
                    except TimeoutError:
                        continue
            assert told.split()[1] == b"408"


def test_one_visitor_has_few_connections(monkeypatch):
    monkeypatch.setattr(connections, "VISITOR_CONNECTIONS", 3)
    with at_the_door(player_app("fair"), local_rules()) as url, ExitStack() as held:
        address = ("127.0.0.1", urlsplit(url).port)
        made = [held.enter_context(socket.create_connection(address, timeout=LONG)) for _ in range(4)]
        assert made[3].recv(4096).split()[1] == b"503"
        for one in made:
            one.close()
        until = time.monotonic() + LONG
        while chat(url).status == 503 and time.monotonic() < until:  # the server notices soon
            time.sleep(0.05)
        assert chat(url).status == 400


def passing(rules: Rules, kind: str, app, times: int) -> list[list[dict]]:
    """What comes back from an application behind its door, asked so many times at once."""
    headers = [(b"host", b"127.0.0.1")]
    scope = {"type": kind, "path": "/", "headers": headers, "client": ("127.0.0.1", 1), "query_string": b""}
    scope |= {"method": "POST"} if kind == "http" else {}

    async def once(door: FrontDoor) -> list[dict]:
        sent: list[dict] = []

        async def receive() -> dict:
            if kind == "http":
                return {"type": "http.request", "body": b"", "more_body": False}
            await asyncio.sleep(LONG)  # a client that says nothing
            raise AssertionError

        async def send(message: dict) -> None:
            sent.append(message)

        await door(scope, receive, send)
        return sent

    async def together() -> list[list[dict]]:
        door = FrontDoor(app, rules)
        return await asyncio.gather(*(once(door) for _ in range(times)))

    return asyncio.run(together())


def test_one_visitor_has_few_requests_at_once():
    async def slow(scope, receive, send):
        await asyncio.sleep(0.05)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    told = [sent[0]["status"] for sent in passing(local_rules(), "http", slow, 70)]
    assert (told.count(200), told.count(429)) == (64, 6)


def test_a_socket_that_says_nothing_ends(monkeypatch):
    monkeypatch.setattr(front_door, "IDLE_SECONDS", 0.05)
    heard = []

    async def listening(scope, receive, send):
        heard.append((await receive())["type"])

    began = time.monotonic()
    passing(local_rules(), "websocket", listening, 1)
    assert (heard, time.monotonic() - began < LONG / 2) == (["websocket.disconnect"], True)


# People: a table for other machines


def test_strangers_start_no_match_and_invited_people_play(tmp_path):
    with started(tmp_path, "serve --no-open --host 127.0.0.2") as printed:
        parts = urlsplit(printed)
        url, home = f"http://{parts.netloc}", f"/?{parts.query}"
        form = "game=matrix&seat=0&player.0=human&player.1=human"
        plain = {"Content_Type": "application/x-www-form-urlencoded"}
        assert ask(url, "GET", "/").status == 401
        assert ask(url, "POST", "/", form, **plain).status == 401
        assert ask(url, "GET", "/?key=guessed").status == 401
        opened = ask(url, "GET", home)
        assert (opened.status, bool(opened.cookie)) == (200, True)
        starts = [ask(url, "POST", "/", form, **plain, Cookie=opened.cookie).status for _ in range(61)]
        assert starts == [303] * 60 + [429]
        # Links of matches are secrets of their own, and the operator signs in.
        assert ask(url, "GET", f"/s/{'A' * 24}").status == 404
        assert ask(url, "GET", "/operator").status == 200
