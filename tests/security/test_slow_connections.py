"""Whoever keeps connections open costs little: half-sent requests end with 408, and streams of one link are few."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")
pytest.importorskip("uvicorn", reason="the web table needs the extra web")

from doors import at_the_door
from econzoo.evaluate.serving import connections, front_door
from econzoo.people.server import STREAMS_PER_LINK, new_site, rendering
from econzoo.people.table_server import build_folder_app

LIMIT = 0.5
"""Seconds of patience in these tests."""

LONG = 20.0
"""Seconds that an answer may take on a busy machine."""

Address = tuple[str, int]


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
    """Of a server with little patience, which listens on a real socket."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", LIMIT)
    monkeypatch.setattr(front_door, "BODY_SECONDS", LIMIT)
    monkeypatch.setattr(rendering, "KEEPALIVE_SECONDS", 0.1)
    app = build_folder_app(tmp_path, site=new_site(token="a-token-that-nobody-guesses"))
    with at_the_door(app) as url:
        yield "127.0.0.1", urlsplit(url).port


def connected(address: Address, sent: bytes) -> socket.socket:
    """A connection on which something was sent."""
    made = socket.create_connection(address, timeout=LONG)
    made.sendall(sent)
    return made


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    with closing(connection):
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def status(told: bytes) -> str:
    return told.split(b" ", 2)[1].decode()


POST = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n"


def test_half_a_head_and_no_head_are_given_up(address):
    for sent in (b"", b"G", b"GET / HTTP/1.1\r\nhost: local", b"GET / HTTP/1.1\r\nhost: localhost\r\n"):
        assert status(answer(connected(address, sent))) == "408", sent


def test_half_a_body_is_given_up(address):
    for sent in (POST, POST + b"game=barg"):
        told = answer(connected(address, sent))
        assert (status(told), b"connection: close" in told.lower()) == ("408", True)


def test_who_sends_a_sign_now_and_then_is_given_up_too(address):
    for begun in (b"GET / HTTP/1.1\r\nx: ", POST):
        one, began, told = connected(address, begun), time.monotonic(), b""
        one.settimeout(LIMIT / 5)
        while not told and time.monotonic() - began < LONG:
            try:
                one.sendall(b"a")
                told = one.recv(65_536)
            except TimeoutError:
                continue
        one.close()
        assert status(told) == "408"


def test_the_second_request_of_a_connection_has_no_more_time(address):
    head = b"HEAD /static/icon.svg HTTP/1.1\r\nhost: localhost\r\n\r\n"
    one = connected(address, head)
    assert status(one.recv(65_536)) == "200"
    time.sleep(LIMIT / 2)  # until the server has noticed, too, that its answer is whole
    one.sendall(head[:10])
    assert status(answer(one)) == "408"


def test_whole_requests_are_answered_meanwhile_and_streams_last(address):
    slow = [connected(address, POST) for _ in range(50)]
    get = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    assert status(answer(connected(address, get))) == "200"
    assert {status(answer(one)) for one in slow} == {"408"}
    stream = connected(address, b"GET %s/events HTTP/1.1\r\nhost: localhost\r\n\r\n" % seat_at(address))
    end = time.monotonic() + 3 * LIMIT
    while time.monotonic() < end:
        assert stream.recv(65_536) != b""
    stream.close()


def seat_at(address: Address) -> bytes:
    """The path of a seat at which somebody plays."""
    form = b"game=matrix&seat=0&player.0=human&player.1=human"
    head = b"POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(form)
    told = answer(connected(address, head + form))
    return next(line for line in told.split(b"\r\n") if line.lower().startswith(b"location:"))[9:].strip()


def test_of_the_streams_of_one_link_the_oldest_end(address):
    get = b"GET %s/events HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n" % seat_at(address)
    opened = []
    for _ in range(STREAMS_PER_LINK + 3):
        opened.append(connected(address, get))
        assert status(opened[-1].recv(65_536)) == "200"
    for one in opened[:3]:
        assert answer(one).endswith(b"0\r\n\r\n")  # the end of a stream
    for one in opened[3:]:
        assert b"data" in one.recv(65_536) + one.recv(65_536)
        one.close()
