"""A small OpenAI-compatible server on 127.0.0.1 that answers from a script and remembers what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    sent: float = 1.0
    """Part of the body that is sent before the connection is closed; below 0 not even its head is."""


def reply(text: str | None, read: int = 10, wrote: int = 5) -> Answer:
    message = {"role": "assistant", "content": text}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
    }
    return Answer(body=body)


def error(status: int, message: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": {"message": message, "type": "t", "code": "c"}}, named)


class LocalServer:
    """Gives the answers of a list in turn, then the last one again; or what a function of the request says."""

    root, path, stream_path = "/v1", "/v1/chat/completions", ""

    def __init__(self, *answers: Answer, judge: Callable[[dict[str, Any]], Answer] | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.busy = self.most_busy = 0
        self._answers, self._judge, self._lock = list(answers), judge, threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer._serve(self, request)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}{self.root}"

    def _serve(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        with self._lock:
            self.requests.append(request)
            self.keys.append(handler.headers.get("Authorization", ""))
            self.headers.append(dict(handler.headers))
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
            scripted = self._answers[min(len(self.requests), len(self._answers)) - 1] if self._answers else Answer()
        answer = self._judge(request) if self._judge else scripted
        if handler.path not in (self.path, self.stream_path):
            answer = error(404, f"no such path: {handler.path}")
        time.sleep(answer.delay)
        with self._lock:
            self.busy -= 1
        if answer.sent < 0:
            handler.close_connection = True
            return
        raw = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        try:
            handler.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(raw)))
            handler.end_headers()
            handler.wfile.write(raw[: int(answer.sent * len(raw))])
            handler.close_connection = answer.sent < 1
        except OSError:
            pass  # the client gave up waiting, as it should in the test of time-outs

    def __enter__(self) -> LocalServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
