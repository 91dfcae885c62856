"""Servers that never stop sending: a call ends by its bytes or seconds, and so does the connection behind it."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("openai")

from econzoo.baselines import ModelError
from econzoo.baselines.models import OpenAIChat, server
from models.local_server import Answer, LocalServer
from refusals import refuses

LONG = 20.0


def chat(url: str, seconds: float = LONG) -> OpenAIChat:
    return OpenAIChat("m", base_url=url, timeout=seconds, max_retries=0)


QUESTION = [{"role": "user", "content": "?"}]


@contextmanager
def sending(part: bytes, pause: float, head: str = "application/json") -> Iterator[tuple[str, threading.Event]]:
    """A server that sends the same again and again, and an event: nobody listens any more."""
    left, over = threading.Event(), threading.Event()

    def send(made: socket.socket) -> None:
        with made:
            made.recv(65536)
            made.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {head}\r\nConnection: close\r\n\r\n".encode())
            try:
                while not over.wait(pause):
                    made.sendall(part)
            except OSError:
                left.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            try:
                while True:
                    threading.Thread(target=send, args=(listening.accept()[0],), daemon=True).start()
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", left
        over.set()


@pytest.mark.parametrize("head", ["application/json", "text/event-stream"])
def test_an_endless_answer_ends_at_its_bytes(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LARGE_FILE_BYTES", most := 100_000)
    with sending(b" " * 50_000, 0, head) as (url, left):
        with refuses(ModelError, url, f"{most:,}"):
            chat(url).complete([QUESTION], [None], [0])
        assert left.wait(LONG)


def test_who_sends_a_byte_now_and_then_loses_the_connection_too() -> None:
    """The caller has gone at its timeout; the thread that reads follows, rather than to read for ever."""
    with sending(b" ", 0.02) as (url, left):
        with refuses(ModelError, url, "timeout"):
            chat(url, 0.3).complete([QUESTION], [None], [0])
        assert left.wait(LONG)


@pytest.mark.parametrize(
    ("encoding", "body", "told"),
    [
        ("br", lambda most: b"x", "more than 0 bytes"),
        ("gzip", lambda most: gzip.compress(b" " * 1000 * most, 1), "more than"),
        ("gzip, gzip", lambda most: gzip.compress(gzip.compress(b" " * most)), "more than 0 bytes"),
    ],
)
def test_compressed_answers_are_read_while_they_are_small(
    encoding: str, body: Callable[[int], bytes], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ENCODED_BYTES", 1_000)
    with LocalServer(Answer(200, body(1_000), headers={"Content-Encoding": encoding})) as given:
        with refuses(ModelError, given.url, told, encoding):
            chat(given.url).complete([QUESTION], [None], [0])
        assert given.headers[0]["Accept-Encoding"] == "identity"
