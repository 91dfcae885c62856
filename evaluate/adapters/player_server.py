"""HTTP server of a player, by GLEE's player protocol; `econzoo.baselines.http_player` is the client."""

from __future__ import annotations

import hmac
import json
import os
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from econzoo.baselines import KEY, BudgetSpentError, ModelError
from econzoo.envs.core.contract import clean, parse_json
from econzoo.evaluate.adapters.served_player import ServedPlayer

__all__ = ["player_server"]

MAX_REQUEST_BYTES = 10_000_000
"""Maximum size of a request."""

# Clients repeat a request after a status of 500 or more, but not after these others.
STATUS = {
    PermissionError: 401,
    ModelError: 503,
    BudgetSpentError: 503,
    ValueError: 400,
    LookupError: 400,
    TypeError: 400,
}


class Handler(BaseHTTPRequestHandler):
    """Handler of ``POST /chat``."""

    guest: ServedPlayer
    protocol_version, timeout = "HTTP/1.1", 60

    def do_POST(self) -> None:
        try:
            request, status = self._read_request(), 200
            response = self.guest.respond(request["messages"], request.get("game_params") or {})
        except Exception as error:
            status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
            response = {"error": clean(f"{type(error).__name__}: {error}")}
        body = json.dumps(response).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # the client may have disconnected
            self.end_headers()
            self.wfile.write(body)

    def _read_request(self) -> Any:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MAX_REQUEST_BYTES:
            self.close_connection = True  # the body stays unread
            raise ValueError(f"invalid Content-Length={length}: expected 0 to {MAX_REQUEST_BYTES}")
        # Read ahead of any refusal, since an unread body would be taken for the next request of the connection.
        body = self.rfile.read(length)
        key, given = os.environ.get(KEY, ""), self.headers.get("X-API-Key") or ""
        if key and not hmac.compare_digest(key.encode(), given.encode()):
            raise PermissionError("invalid X-API-Key")
        # Browsers do not send this type to another origin without its consent.
        if self.path != "/chat" or self.headers.get_content_type() != "application/json":
            raise ValueError("expected POST /chat with Content-Type: application/json")
        return parse_json(body.decode())

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, since a match has many requests."""


class Server(ThreadingHTTPServer):
    """Server with a queue for the concurrent requests of a run."""

    request_queue_size = 128


def player_server(spec: str, port: int = 8000, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """Create a server of a player (port 0: any free port); start it with ``serve_forever()``.

    Raises:
        ValueError: Unknown player.
        OSError: The port is in use.
    """
    return Server((host, port), type("PlayerHandler", (Handler,), {"guest": ServedPlayer(spec)}))
