"""Any player behind an address, by GLEE's HTTP player protocol: answers what `econzoo.baselines.http_player` asks."""

from __future__ import annotations

import hmac
import json
import os
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from econzoo.baselines.http_player import KEY
from econzoo.baselines.models.chat import ModelError
from econzoo.baselines.models.spending import BudgetSpentError
from econzoo.envs.core.contract.validation import clean, parse_json
from econzoo.evaluate.adapters.served_player import ServedPlayer

__all__ = ["player_server"]

MAX_REQUEST_BYTES = 10_000_000
"""Bytes of a request."""

STATUS = {
    PermissionError: 401,
    ModelError: 503,
    BudgetSpentError: 503,
    ValueError: 400,
    LookupError: 400,
    TypeError: 400,
}


class Handler(BaseHTTPRequestHandler):
    """One request: ``POST /chat``."""

    guest: ServedPlayer
    protocol_version, timeout = "HTTP/1.1", 60

    def do_POST(self) -> None:
        """Answers it."""
        try:
            asked, status = self._read_request(), 200
            told = self.guest.respond(asked["messages"], asked.get("game_params") or {})
        except Exception as error:
            status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
            told = {"error": clean(f"{type(error).__name__}: {error}")}
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # who asked may have given up
            self.end_headers()
            self.wfile.write(body)

    def _read_request(self) -> Any:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MAX_REQUEST_BYTES:
            self.close_connection = True  # what follows stays unread
            raise ValueError(f"Content-Length is {length}; allowed: from 0 to {MAX_REQUEST_BYTES}")
        body = self.rfile.read(length)
        key, given = os.environ.get(KEY, ""), self.headers.get("X-API-Key") or ""
        if key and not hmac.compare_digest(key.encode(), given.encode()):
            raise PermissionError("X-API-Key is not the key of this server")
        # A page in a browser cannot send this type to a server that does not invite it.
        if self.path != "/chat" or self.headers.get_content_type() != "application/json":
            raise ValueError("allowed: POST /chat with Content-Type: application/json")
        return parse_json(body.decode())

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: a match has many requests."""


class Server(ThreadingHTTPServer):
    """Takes as many at once as a run asks for."""

    request_queue_size = 128


def player_server(spec: str, port: int = 8000, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """A server of a player; ``serve_forever()`` serves. Port 0 is any that is free.

    Raises:
        ValueError: No game knows the player.
        OSError: The port is taken.
    """
    return Server((host, port), type("PlayerHandler", (Handler,), {"guest": ServedPlayer(spec)}))
