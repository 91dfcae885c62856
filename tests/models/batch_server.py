"""A provider with batch interfaces on 127.0.0.1: OpenAI's form, Mistral's, Together's, Anthropic's, and Gemini's."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Judge = Callable[[dict[str, Any]], tuple[int, Any]]
"""Status and body of the response to one request."""


def completion(text: str, read: int = 100, wrote: int = 20) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m-2026",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
    }


def refusal(message: str, status: int = 400) -> tuple[int, Any]:
    return status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


@dataclass
class Batch:
    """A batch that was submitted.

    Attributes:
        source: File of its requests; empty: they came with it.
        looks: How often it is looked at before it is over.
        state: What it ends as.
        executed: Requests that are executed before it ends; None: all.
        errors: Why it is refused.
    """

    id: str
    requests: dict[str, dict[str, Any]]
    source: str = ""
    looks: int = 2
    state: str = "completed"
    executed: int | None = None
    errors: Any = None
    responses: dict[str, tuple[int, Any]] = field(default_factory=dict)


class BatchServer:
    """Executes batches, and single requests too.

    Args:
        judge: Answers one request.
        plan: Called with every new batch, which it may change.
    """

    def __init__(self, judge: Judge, plan: Callable[[Batch], None] = lambda batch: None) -> None:
        self.judge, self.plan = judge, plan
        self.batches: list[Batch] = []
        self.is_gemini = False
        self.single: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        self.keys: set[str] = set()
        self.paths: list[str] = []
        self.trouble: list[int | None] = []
        """Statuses with which the next requests fail; None: none; 0: it is carried out, and the connection cut."""
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version, wbufsize = "HTTP/1.1", 1 << 16  # head and body in one piece

            def do_POST(self) -> None:
                outer._serve(self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                outer._serve(self, None)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def sizes(self) -> list[int]:
        return [len(batch.requests) for batch in self.batches]

    def spec(self, options: str = "", provider: str = "openai") -> str:
        return f"openai:m@{self.url}?provider={provider}{options}"

    def _serve(self, handler: BaseHTTPRequestHandler, body: bytes | None) -> None:
        path = urlsplit(handler.path).path.removeprefix("/v1")
        with self._lock:
            self.keys.add(
                handler.headers.get("Authorization")
                or handler.headers.get("x-api-key")
                or handler.headers.get("x-goog-api-key")
                or ""
            )
            self.paths.append(path)
            trouble = self.trouble.pop(0) if self.trouble else None
            status, given = (trouble, {"error": {"message": "trouble"}}) if trouble else self._answer(path, body)
        if trouble == 0:
            handler.close_connection = True
            return
        raw = given if isinstance(given, bytes) else json.dumps(given).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    def _answer(self, path: str, body: bytes | None) -> tuple[int, Any]:
        if path in ("/chat/completions", "/messages", "/responses"):
            self.single.append(json.loads(body or b""))
            return self.judge(self.single[-1])
        if path.endswith(":generateContent"):
            self.single.append(json.loads(body or b""))
            return self.judge(self.single[-1])
        if path.endswith(":batchGenerateContent"):
            given = json.loads(body or b"")["batch"]
            lines = given["inputConfig"]["requests"]["requests"]
            batch = self._add({line["metadata"]["key"]: line["request"] for line in lines}, given["displayName"])
            return 200, self._show_operation(batch)
        if self.is_gemini and body is None:
            if path == "/batches":
                return 200, {"operations": [self._show_operation(batch) for batch in reversed(self.batches)]}
            batch = next(one for one in self.batches if path == f"/batches/{one.id}")
            batch.looks -= 1
            return 200, self._show_operation(batch)
        if path in ("/files", "/files/upload"):
            name = f"file-{len(self.files)}"
            self.files[name] = re.split(rb"\r\n\r\n", body or b"")[-1].split(b"\r\n--")[0]
            return 200, {"id": name}
        if found := re.fullmatch(r"/files/(.+)/content", path):
            return 200, self.files[found[1]]
        if path in ("/batches", "/batch/jobs"):
            if body is None:
                return 200, {"data": [self._show(batch) for batch in reversed(self.batches)]}
            order = json.loads(body)
            source = order.get("input_file_id") or order["input_files"][0]
            lines = [json.loads(line) for line in self.files[source].splitlines()]
            assert (
                {line.get("url", order["endpoint"]) for line in lines}
                == {order["endpoint"]}
                <= {"/v1/chat/completions", "/v1/responses"}
            )
            batch = self._add({line["custom_id"]: line["body"] for line in lines}, source)
            return 200, {"job": self._show(batch)} if order.get("completion_window") is None else self._show(batch)
        if path == "/messages/batches":
            if body is None:
                return 200, {"data": [self._show_messages(batch) for batch in reversed(self.batches)]}
            lines = json.loads(body)["requests"]
            return 200, self._show_messages(self._add({line["custom_id"]: line["params"] for line in lines}))
        name, _, results = (
            path.removeprefix("/messages").removeprefix("/batch/jobs/").removeprefix("/batches/").partition("/")
        )
        batch = next((one for one in self.batches if one.id == name), None)
        if batch is None:
            return refusal("no such batch", 404)
        if results:
            return 200, self._message_results(batch)
        batch.looks -= 1
        return 200, self._show_messages(batch) if "messages" in path else self._show(batch)

    def _add(self, requests: dict[str, dict[str, Any]], source: str = "") -> Batch:
        batch = Batch(f"batch_{len(self.batches)}", requests, source)
        self.batches.append(batch)
        self.plan(batch)
        executed = list(requests.items())[: batch.executed]
        batch.responses = {key: self.judge(body) for key, body in executed} if batch.state != "failed" else {}
        return batch

    def _show(self, batch: Batch) -> dict[str, Any]:
        """Describe a batch; all names of a thing, where providers have several."""
        over = batch.looks <= 0
        shown: dict[str, Any] = {
            "id": batch.id,
            "input_file_id": batch.source,
            "input_files": [batch.source],
            "status": batch.state if over else "in_progress",
            "errors": batch.errors if over else None,
            "request_counts": {
                "total": len(batch.requests),
                "completed": len(batch.responses) if over else 0,
                "failed": 0,
            },
        }
        if over and batch.state != "failed":
            good = {key: one for key, one in batch.responses.items() if one[0] == 200}
            bad = {key: one for key, one in batch.responses.items() if one[0] != 200}
            lacking = batch.requests.keys() - batch.responses.keys()
            lines = [self._line(key, *one) for key, one in reversed(bad.items())]
            code = f"batch_{batch.state}"
            lines += [{"custom_id": key, "response": None, "error": {"code": code, "message": "-"}} for key in lacking]
            for name, content in (
                ("output", [self._line(key, *one) for key, one in reversed(good.items())]),
                ("error", lines),
            ):
                if content:
                    self.files[f"{name}-{batch.id}"] = "\n".join(map(json.dumps, content)).encode()
                    shown[f"{name}_file_id"] = f"{name}-{batch.id}"
        return shown

    @staticmethod
    def _line(key: str, status: int, body: Any) -> dict[str, Any]:
        return {
            "id": "r",
            "custom_id": key,
            "response": {"status_code": status, "request_id": "q", "body": body},
            "error": None,
        }

    def _show_operation(self, batch: Batch) -> dict[str, Any]:
        over = batch.looks <= 0
        count = {"requestCount": str(len(batch.requests))}
        if over:  # 0 is left out
            count["successfulRequestCount"] = str(len(batch.responses))
        state = {"completed": "SUCCEEDED"}.get(batch.state, batch.state.upper()) if over else "RUNNING"
        told = {"displayName": batch.source, "batchStats": count, "state": f"BATCH_STATE_{state}"}
        shown: dict[str, Any] = {"name": f"batches/{batch.id}", "metadata": told, "done": over}
        if over and batch.errors:
            return {**shown, "error": batch.errors}
        lines = []
        for key, (status, body) in reversed(batch.responses.items()):
            outcome = {"response": body} if status == 200 else {"error": body["error"]}
            lines.append({"metadata": {"key": key}, **outcome})
        lacking = batch.requests.keys() - batch.responses.keys()
        lines += [{"metadata": {"key": key}, "error": {"code": 1, "message": "cancelled"}} for key in lacking]
        return {**shown, "response": {"inlinedResponses": {"inlinedResponses": lines}}} if over else shown

    def _show_messages(self, batch: Batch) -> dict[str, Any]:
        over = batch.looks <= 0
        done = len(batch.responses) if over else 0
        lacking = len(batch.requests) - done
        counts = {"processing": 0 if over else lacking, "succeeded": done, "errored": 0, "canceled": 0}
        return {
            "id": batch.id,
            "processing_status": "ended" if over else "in_progress",
            "request_counts": {**counts, "expired": lacking if over else 0},
            "created_at": "2099-01-01T00:00:00Z",
        }

    @staticmethod
    def _message_results(batch: Batch) -> bytes:
        lines = []
        for key in batch.requests:
            status, body = batch.responses.get(key, (0, None))
            result = {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}
            lines.append({"custom_id": key, "result": result if status else {"type": "expired"}})
        return "\n".join(map(json.dumps, lines)).encode()

    def __enter__(self) -> BatchServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
