"""Servers behind the front door, for tests."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from econzoo.evaluate.serving import FrontDoor, Rules
from econzoo.evaluate.serving.connections import build_server

LONG = 20.0
"""Seconds that the end of a server may take on a busy machine."""


@contextmanager
def at_the_door(app: Any, rules: Rules | None = None) -> Iterator[str]:
    """The address of an application, which a thread serves; without rules, of one that has its door already."""
    server = build_server(FrontDoor(app, rules) if rules else app)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(LONG)
