"""Batch interfaces of providers: OpenAI's files and batches, which others have too, those of Anthropic and Gemini.

All take requests with an id each, work on them for up to a day at a lower price, and return the responses by id. Wire
formats follow the public documentation of the providers (2026).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import Any, NamedTuple, Protocol

from econzoo.baselines.models.pacing import call_with_timeout
from econzoo.baselines.models.providers import Provider, providers
from econzoo.baselines.models.server import RetryError, Server, ServerStatusError, connections, signal_of
from econzoo.baselines.models.server_errors import ServerError, read_body
from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import parse_json

Mark = Any
"""What identifies a batch that has been announced but has no known id; a JSON value."""

_SILENT_SECONDS, _SECONDS = 300.0, 1_800.0
"""Longest silence of a provider within a request, and the time for all of it, files included."""

_CLOCK_ERROR = timedelta(minutes=10)
"""Largest difference between this machine's clock and a provider's."""


class Line(NamedTuple):
    """Response to one request of a batch: HTTP status and body."""

    status: int
    body: Any


class Progress(NamedTuple):
    """State of a batch.

    Attributes:
        done: Requests with a response, failed ones included.
        refusal: Error body of a batch that was refused as a whole; None if it was not.
    """

    is_over: bool
    done: int
    total: int
    refusal: Any = None


class BatchInterface(Protocol):
    """Batches of one provider.

    Attributes:
        max_requests: Maximum requests of a batch.
        max_bytes: Maximum bytes of a batch.
    """

    max_requests: int
    max_bytes: int

    def submit(self, requests: Mapping[str, dict[str, Any]], announce: Callable[[Mark], None]) -> str:
        """Submit requests by id and return the id of the batch; `announce` is called before it exists.

        Raises:
            RetryError, ServerStatusError: The batch does not exist.
        """
        ...

    def find(self, mark: Mark) -> str | None:
        """Return the id of an announced batch, if it exists."""
        ...

    def look_up(self, batch: str) -> Progress:
        """Return the state of a batch."""
        ...

    def results(self, batch: str) -> Iterator[tuple[str, Line]]:
        """Yield the responses of a batch that is over, by id; requests that were not executed have none."""
        ...


class Http:
    """HTTP requests to a provider."""

    def __init__(self, url: str, headers: Mapping[str, str], clean: Callable[[str, int | None], str]) -> None:
        self._url, self._headers, self._clean = url, dict(headers), clean

    def ask(self, method: str, path: str, **fields: Any) -> Any:
        """Send a request once and return the response.

        Raises:
            RetryError: No response.
            ServerStatusError: The response is an error.
        """
        with explain_missing_library("a batch"):
            client = connections()
        try:
            whole = {"headers": self._headers, "timeout": _SILENT_SECONDS, **fields}
            response = call_with_timeout(_SECONDS, lambda: client.request(method, self._url + path, **whole))
        except Exception as error:
            raise signal_of(error, False) from None
        if not response.is_success:
            refusal = ServerError(response.status_code, read_body(self._clean(response.text, None)))
            raise ServerStatusError(refusal, response.headers)
        return response

    def ask_json(self, method: str, path: str, **fields: Any) -> Any:
        """Send a request once and return the JSON of the response; see `ask`."""
        try:
            return parse_json(self.ask(method, path, **fields).text)
        except ValueError as error:
            raise RetryError(f"the response is not valid JSON ({error})") from None

    def ask_lines(self, path: str) -> Iterator[Any]:
        """Yield the values of a file of JSON lines; incomplete lines are skipped."""
        for line in self.ask("GET", path).text.split("\n"):
            value = read_body(line)
            if isinstance(value, dict):
                yield value

    def create(self, path: str, find: Callable[[], str | None], **fields: Any) -> Any:
        """Send a request that creates a batch; after a failure it is looked for, since it may exist all the same."""
        try:
            return self.ask_json("POST", path, **fields)
        except (RetryError, ServerStatusError) as failure:
            if isinstance(failure, ServerStatusError) and failure.error.status < 500:
                raise
            found = find()
            if found is None:
                raise
            return {"id": found, "name": found}


@dataclass(frozen=True)
class FileNames:
    """How a provider names things in OpenAI's form.

    Attributes:
        has_urls: Whether each request has method and endpoint.
    """

    upload: str = "/files"
    purpose: str = "batch"
    batches: str = "/batches"
    window: str = "24h"
    max_bytes: int = 200_000_000
    has_urls: bool = True

    def upload_fields(self) -> dict[str, str]:
        together = {"file_name": "requests.jsonl", "file_type": "jsonl"} if self.upload != "/files" else {}
        return {"purpose": self.purpose, **together}

    def order(self, file: str, endpoint: str, model: str) -> dict[str, Any]:
        """Return the body of the request that creates a batch."""
        if self.batches != "/batches":
            return {"input_files": [file], "endpoint": endpoint, "model": model}
        return {"input_file_id": file, "endpoint": endpoint, "completion_window": self.window}


FILE_NAMES = {
    "openai": FileNames(),
    "groq": FileNames(max_bytes=100_000_000),
    "mistral": FileNames(batches="/batch/jobs", has_urls=False),
    "together": FileNames(upload="/files/upload", purpose="batch-api", max_bytes=100_000_000, has_urls=False),
}
"""Names by the field ``batch`` in ``providers.toml``."""

_OVER = {"completed", "success", "expired", "timeout_exceeded", "cancelled", "canceled", "failed"}
_NOT_EXECUTED = {"batch_expired", "batch_cancelled", "batch_canceled"}
"""States of a batch that is over, and error codes of requests that were not executed."""


class FileBatches:
    """Batches from uploaded files: OpenAI, Groq, Mistral, Together.

    Args:
        http: Requests to the provider.
        names: How it names things.
        model: Model of all requests.
        endpoint: Endpoint of all requests.
    """

    max_requests = 50_000

    def __init__(self, http: Http, names: FileNames, model: str, endpoint: str = "/v1/chat/completions") -> None:
        self._http, self._names, self._model, self._endpoint = http, names, model, endpoint
        self.max_bytes = names.max_bytes

    def submit(self, requests: Mapping[str, dict[str, Any]], announce: Callable[[Mark], None]) -> str:
        """See `BatchInterface.submit`."""
        post = {"method": "POST", "url": self._endpoint} if self._names.has_urls else {}
        lines = (json.dumps({"custom_id": key, **post, "body": body}) for key, body in requests.items())
        file = "requests.jsonl", "\n".join(lines).encode() + b"\n", "application/jsonl"
        fields = self._names.upload_fields()
        given = self._http.ask_json("POST", self._names.upload, data=fields, files={"file": file})
        uploaded = _id_of(given)
        announce(uploaded)
        order = self._names.order(uploaded, self._endpoint, self._model)
        return _id_of(self._http.create(self._names.batches, lambda: self.find(uploaded), json=order))

    def find(self, mark: Mark) -> str | None:
        """See `BatchInterface.find`."""
        listed = self._http.ask_json("GET", self._names.batches)
        batches = listed.get("data") or [] if isinstance(listed, dict) else listed
        found = (one for one in batches if mark in [one.get("input_file_id"), *(one.get("input_files") or [])])
        return next((_id_of(one) for one in found), None)

    def look_up(self, batch: str) -> Progress:
        """See `BatchInterface.look_up`."""
        given = self._look_up(batch)
        counts = given.get("request_counts") or given
        total = counts.get("total", counts.get("total_requests")) or 0
        failed = counts.get("failed", counts.get("failed_requests")) or 0
        done = counts.get("completed", counts.get("succeeded_requests")) or 0
        state = str(given.get("status", "")).lower()
        errors = given.get("errors") or given.get("error")
        refused = state == "failed" and not self._files(given)
        return Progress(state in _OVER, done + failed, total, (errors or "the batch failed") if refused else None)

    def results(self, batch: str) -> Iterator[tuple[str, Line]]:
        """See `BatchInterface.results`."""
        for file in self._files(self._look_up(batch)):
            for one in self._http.ask_lines(f"/files/{file}/content"):
                response, error = one.get("response") or {}, one.get("error") or {}
                code = error.get("code") if isinstance(error, dict) else error
                if response.get("status_code"):
                    yield str(one.get("custom_id")), Line(response["status_code"], response.get("body"))
                elif code not in _NOT_EXECUTED:
                    yield str(one.get("custom_id")), Line(500, {"error": error})

    def _look_up(self, batch: str) -> dict[str, Any]:
        given = self._http.ask_json("GET", f"{self._names.batches}/{batch}")
        return dict(given.get("job") or given)

    @staticmethod
    def _files(batch: Mapping[str, Any]) -> list[str]:
        names = ("output_file_id", "output_file", "error_file_id", "error_file")
        return [batch[name] for name in names if batch.get(name)]


def _id_of(given: Any, field: str = "id") -> str:
    found = given.get("job", given).get(field) if isinstance(given, dict) else None
    if not found:
        raise RetryError("the response has no id")
    return str(found)


_STATUS_OF_ERROR = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""HTTP statuses by Anthropic's error types; others are 500."""


class MessageBatches:
    """Anthropic's message batches; requests are bodies of ``/v1/messages``."""

    max_requests, max_bytes = 100_000, 256_000_000
    _PATH = "/v1/messages/batches"

    def __init__(self, http: Http) -> None:
        self._http = http

    def submit(self, requests: Mapping[str, dict[str, Any]], announce: Callable[[Mark], None]) -> str:
        """See `BatchInterface.submit`."""
        mark = {"created": datetime.now(UTC).isoformat(), "requests": len(requests)}
        announce(mark)
        lines = [{"custom_id": key, "params": body} for key, body in requests.items()]
        return _id_of(self._http.create(self._PATH, lambda: self.find(mark), json={"requests": lines}))

    def find(self, mark: Mark) -> str | None:
        """See `BatchInterface.find`; by time and size, and its requests are told by their ids in the end."""
        earliest = datetime.fromisoformat(mark["created"]) - _CLOCK_ERROR
        for one in self._http.ask_json("GET", self._PATH, params={"limit": 100}).get("data") or []:
            size = sum((one.get("request_counts") or {}).values())
            if size == mark["requests"] and datetime.fromisoformat(one["created_at"]) >= earliest:
                return _id_of(one)
        return None

    def look_up(self, batch: str) -> Progress:
        """See `BatchInterface.look_up`."""
        given = self._http.ask_json("GET", f"{self._PATH}/{batch}")
        counts = given.get("request_counts") or {}
        total = sum(counts.values())
        return Progress(given.get("processing_status") == "ended", total - counts.get("processing", 0), total)

    def results(self, batch: str) -> Iterator[tuple[str, Line]]:
        """See `BatchInterface.results`."""
        for one in self._http.ask_lines(f"{self._PATH}/{batch}/results"):
            result = one.get("result") or {}
            if result.get("type") == "succeeded":
                yield str(one.get("custom_id")), Line(200, result.get("message"))
            elif result.get("type") == "errored":
                error = result.get("error") or {}
                kind = (error.get("error") or error).get("type")
                yield str(one.get("custom_id")), Line(_STATUS_OF_ERROR.get(str(kind), 500), error)


_STATUS_OF_CODE = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 12: 400, 14: 503, 16: 401}
"""HTTP statuses by gRPC codes; others are 500."""

_CANCELLED = 1
"""gRPC code of a request that was not executed."""


class GeminiBatches:
    """Gemini's batches with inline requests, which are bodies of ``generateContent``."""

    max_requests, max_bytes = 50_000, 19_000_000
    _PATH = "/batches"

    def __init__(self, http: Http, path: str) -> None:
        self._http, self._path = http, path

    def submit(self, requests: Mapping[str, dict[str, Any]], announce: Callable[[Mark], None]) -> str:
        """See `BatchInterface.submit`."""
        mark = f"econzoo-{token_hex(8)}"
        announce(mark)
        lines = [{"request": body, "metadata": {"key": key}} for key, body in requests.items()]
        order = {"batch": {"displayName": mark, "inputConfig": {"requests": {"requests": lines}}}}
        return _id_of(self._http.create(self._path, lambda: self.find(mark), json=order), "name")

    def find(self, mark: Mark) -> str | None:
        """See `BatchInterface.find`."""
        page: dict[str, Any] = {}
        while True:
            listed = self._http.ask_json("GET", self._PATH, params={"pageSize": 100, **page})
            for one in listed.get("operations") or []:
                if (one.get("metadata") or {}).get("displayName") == mark:
                    return _id_of(one, "name")
            if not listed.get("nextPageToken"):
                return None
            page = {"pageToken": listed["nextPageToken"]}

    def look_up(self, batch: str) -> Progress:
        """See `BatchInterface.look_up`."""
        given = self._http.ask_json("GET", f"/{batch}")
        told = given.get("metadata") or {}
        counts = {name: int(count) for name, count in (told.get("batchStats") or {}).items()}
        done = counts.get("successfulRequestCount", 0) + counts.get("failedRequestCount", 0)
        is_refused = str(told.get("state")).endswith("FAILED")
        refusal = (given.get("error") or "the batch failed") if is_refused else None
        return Progress(bool(given.get("done")) or is_refused, done, counts.get("requestCount", 0), refusal)

    def results(self, batch: str) -> Iterator[tuple[str, Line]]:
        """See `BatchInterface.results`."""
        given = self._http.ask_json("GET", f"/{batch}")
        found = (given.get("response") or (given.get("metadata") or {}).get("output") or {}).get("inlinedResponses")
        for one in (found.get("inlinedResponses") if isinstance(found, dict) else found) or []:
            if not (key := (one.get("metadata") or {}).get("key")):  # their order is not always that of the requests
                raise ServerStatusError(ServerError(400, {"error": {"message": f"{batch}: a response has no key"}}), {})
            error = one.get("error")
            if error is None:
                yield str(key), Line(200, one.get("response"))
            elif error.get("code") != _CANCELLED:
                yield str(key), Line(_STATUS_OF_CODE.get(error.get("code"), 500), {"error": error})


def cut(requests: Sequence[tuple[str, dict[str, Any]]], interface: BatchInterface) -> Iterator[dict[str, Any]]:
    """Cut requests into batches within the limits of a provider."""
    part: dict[str, Any] = {}
    size = 0
    for key, body in requests:
        length = len(json.dumps(body)) + 200  # the id and the fields around the body
        if part and (len(part) >= interface.max_requests or size + length > interface.max_bytes):
            yield part
            part, size = {}, 0
        part[key], size = body, size + length
    if part:
        yield part


def batch_interface(provider: Provider, server: Server) -> BatchInterface:
    """Return the batch interface of a provider.

    Raises:
        ValueError: It has none.
    """
    if provider.batch not in ("anthropic", "google", "responses", *FILE_NAMES):
        have = ["anthropic:", "google:", "openai-responses:", *(one.title for one in providers().values() if one.batch)]
        store = f", whose batches need files in {provider.batch}" if provider.batch else ""
        raise ValueError(
            f"--batch needs a provider with a batch interface ({', '.join(have)}), not {provider.title}{store}"
        )
    http = Http(server.url, server.headers, server.clean)
    if provider.batch == "anthropic":
        return MessageBatches(http)
    if provider.batch == "google":
        return GeminiBatches(http, f"/models/{server.model.removeprefix('models/')}:batchGenerateContent")
    if provider.batch == "responses":
        return FileBatches(http, FileNames(), server.model, "/v1/responses")
    return FileBatches(http, FILE_NAMES[provider.batch], server.model)
