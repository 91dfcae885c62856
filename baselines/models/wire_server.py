"""Addresses, keys and requests of the providers' own interfaces."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from econzoo.baselines import UnavailableError
from econzoo.baselines.models.anthropic_wire import VERSION, AnthropicWire, VertexAnthropicWire
from econzoo.baselines.models.converse_wire import ConverseWire
from econzoo.baselines.models.gemini_wire import GeminiWire, VertexGeminiWire
from econzoo.baselines.models.responses import STOPPED, events, is_stream, read_json
from econzoo.baselines.models.responses_wire import ResponsesWire
from econzoo.baselines.models.server import CONNECT_SECONDS, OPENAI_URL, RetryError, Server, ServerStatusError
from econzoo.baselines.models.server import connections
from econzoo.baselines.models.server_errors import ServerError
from econzoo.baselines.models.wire import Wire, as_completion, merge, parse_request
from econzoo.envs.core import explain_missing_library

Headers = dict[str, str]
Sign = Callable[[str, bytes, str], Headers]
"""WireCall with address, body and key; returns the headers that prove the sender."""


class Interface(NamedTuple):
    """An interface behind a prefix of specs.

    Attributes:
        wire: Class of the wire of a model.
        url: Default address.
        keys: Variables of the environment with the key, first one first.
        sign: Headers of a request.
    """

    wire: Callable[[str], type[Wire]]
    url: Callable[[], str]
    keys: Sequence[str]
    sign: Sign


def _anthropic(url: str, body: bytes, key: str) -> Headers:
    return {"x-api-key": key, "anthropic-version": VERSION}


def _google(url: str, body: bytes, key: str) -> Headers:
    return {"x-goog-api-key": key}


def _bearer(url: str, body: bytes, key: str) -> Headers:
    return {"Authorization": f"Bearer {key}"}


def _amazon(url: str, body: bytes, key: str) -> Headers:
    """Sign a request with the user's AWS credentials, unless there is a key for Bedrock."""
    if key:
        return _bearer(url, body, key)
    credentials = _amazon_credentials()
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    request = AWSRequest("POST", url, {"Content-Type": "application/json"}, body)
    SigV4Auth(credentials, "bedrock", _amazon_region()).add_auth(request)
    return dict(request.headers)


@cache
def _amazon_credentials() -> Any:
    with explain_missing_library("a bedrock: player without AWS_BEARER_TOKEN_BEDROCK", "served"):
        from botocore.session import Session
    credentials = Session().get_credentials()
    if credentials is None:
        raise UnavailableError("no AWS credentials: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and its secret")
    return credentials


def _amazon_region() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"


def _vertex(url: str, body: bytes, key: str) -> Headers:
    """Sign a request with an access token: that of the environment, else one of the user's Google credentials."""
    if key:
        return _bearer(url, body, key)
    with explain_missing_library("a vertex: player without GOOGLE_ACCESS_TOKEN", "served"):
        from google.auth.exceptions import GoogleAuthError
        from google.auth.transport.requests import Request
    try:
        credentials = _google_credentials()
        with _LOCK:
            if not credentials.valid:
                credentials.refresh(Request())
    except GoogleAuthError as error:
        told = " ".join(str(error).split())
        raise UnavailableError(f"no Google credentials ({told}); run: gcloud auth application-default login") from None
    return _bearer(url, body, credentials.token)


_LOCK = threading.Lock()


@cache
def _google_credentials() -> Any:
    from google.auth import default

    credentials, _ = default(scopes=["https://www.googleapis.com/auth/cloud-platform"])
    return credentials


def _vertex_url() -> str:
    project, place = os.environ.get("GOOGLE_CLOUD_PROJECT", ""), os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
    host = "aiplatform.googleapis.com" if place == "global" else f"{place}-aiplatform.googleapis.com"
    return f"https://{host}/v1/projects/{quote(project)}/locations/{quote(place)}"


def _own_or(variable: str, url: str) -> Callable[[], str]:
    return lambda: os.environ.get(variable) or url


def _vertex_wire(model: str) -> type[Wire]:
    return VertexAnthropicWire if model.startswith("claude") else VertexGeminiWire


INTERFACES: Mapping[str, Interface] = {
    "anthropic": Interface(
        lambda _: AnthropicWire,
        _own_or("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
        ("ANTHROPIC_API_KEY",),
        _anthropic,
    ),
    "google": Interface(
        lambda _: GeminiWire,
        _own_or("GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta"),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        _google,
    ),
    "openai-responses": Interface(
        lambda _: ResponsesWire, _own_or("OPENAI_BASE_URL", OPENAI_URL), ("OPENAI_API_KEY",), _bearer
    ),
    "bedrock": Interface(
        lambda _: ConverseWire,
        lambda: f"https://bedrock-runtime.{_amazon_region()}.amazonaws.com",
        ("AWS_BEARER_TOKEN_BEDROCK",),
        _amazon,
    ),
    "vertex": Interface(_vertex_wire, _vertex_url, ("GOOGLE_ACCESS_TOKEN",), _vertex),
}
"""Interfaces by prefix of specs."""

_BAD_KEY = re.compile(r"api_key_invalid|api key not valid")
"""Messages with which Gemini refuses a key, at status 400."""


class WireServer(Server):
    """A server with a provider's own interface."""

    def __init__(
        self, kind: str, model: str, url: str | None, api_key: str | None, concurrency: int, tokens: int | None
    ) -> None:
        self._interface = INTERFACES[kind]
        self.wire = self._interface.wire(model)(model, tokens)
        self._lacks_project = kind == "vertex" and not (url or os.environ.get("GOOGLE_CLOUD_PROJECT"))
        self._own = self._interface.url().rstrip("/")
        super().__init__(model, url, api_key, concurrency, self._own, self._interface.keys)

    def send(self, request: dict[str, Any], seconds: float) -> Any:
        """See `Server.send`; the request and the response are those of chat completions."""
        asked = parse_request(request)
        body, path = merge(self.wire.body(asked), asked.more), self.wire.path
        if is_streamed := "stream" in request:
            path, body = self.wire.stream(path, body)
        try:
            answer = self.post(body, seconds, path, is_streamed)
        except ServerStatusError as refused:
            raise self._name_field(refused, request) from None
        try:
            whole = self.wire.join(answer) if isinstance(answer, list) else answer
            reply = self.wire.parse_answer(whole)
            if isinstance(answer, list) and reply.finish is None:
                raise RetryError(STOPPED)
            return as_completion(reply, body, whole)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise RetryError(f"the response is not one of {self.wire.provider.title} ({error!r})") from None

    def post(self, body: dict[str, Any], seconds: float, path: str, is_streamed: bool) -> Any:
        """Send a request in the provider's words and return its response, or the events of a stream.

        Raises:
            ServerStatusError: The server returned an error.
            RetryError: No response, or an invalid one.
            ReplyTimeoutError: No response in time.
        """
        if self.batches is not None:
            return dict(self.batches(body))
        with explain_missing_library("a model behind a server"):
            client = connections()
        url, sent = f"{self.url}{path}", json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if self._lacks_project:
            raise UnavailableError(self.format_message("no project: set GOOGLE_CLOUD_PROJECT"))
        has_credentials = self._known and self._interface.sign in (_amazon, _vertex)
        if self._key == "none" and not has_credentials and self.url == self._own:
            raise UnavailableError(self.format_message(f"no key: set {self._interface.keys[0]}"))
        patience = min(seconds, CONNECT_SECONDS), seconds, seconds, seconds  # to connect, read, write, and wait

        def ask() -> tuple[Any, Mapping[str, str]]:
            # Within the time of the call: credentials may be asked for from a server.
            if self._key != "none" or has_credentials:
                headers.update(self._interface.sign(url, sent, "" if self._key == "none" else self._key))
            response = client.post(url, content=sent, headers=headers, timeout=patience)
            if response.status_code >= 400:
                raise self._status_error(response.status_code, response.text, response.headers)
            streams = is_streamed and is_stream(response)
            answer = list(self._events(response)) if streams else read_json(response.content)
            if not isinstance(answer, dict | list):
                raise ValueError("no object")
            return answer, response.headers

        return self._exchange(ask, seconds, is_streamed)

    def _events(self, response: Any) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream; one with an error is raised."""
        for event in filter(None, events(response)):
            error = event.get("error") or (event if event.get("type") == "error" else None)
            if error:
                code = error.get("code") if isinstance(error, dict) else None
                raise self._status_error(code if isinstance(code, int) else 500, json.dumps(event), response.headers)
            yield event

    @property
    def headers(self) -> dict[str, str]:
        """See `Server.headers`."""
        return self._interface.sign(self.url, b"", self._key)

    def _name_field(self, refused: ServerStatusError, request: Mapping[str, Any]) -> ServerStatusError:
        """Add to a refusal the field of the request that it names in the provider's words."""
        error = refused.error
        if _BAD_KEY.search(error.searchable_text):
            return ServerStatusError(ServerError(401, error.body), refused.headers)
        if error.status != 400 or error.fields:
            return refused
        own = {rf"\b{name}\b": name for name in ("temperature", "top_p", "seed")}
        found = {
            match.start(): name
            for pattern, name in {**own, **self.wire.names}.items()
            if (match := re.search(pattern, error.text.lower()))
        }
        name = found[min(found)] if found else ""
        # Thoughts are asked for by either field.
        name = next((one for one in (name, "reasoning_effort") if one in request), "") if name == "thinking" else name
        if name not in request:
            return refused
        return ServerStatusError(ServerError(error.status, {"error": error.body, "param": name}), refused.headers)
