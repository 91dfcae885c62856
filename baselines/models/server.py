"""Client of a server with the OpenAI protocol: requests with a timeout, and errors."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from econzoo.baselines import ModelError, UnavailableError, hide_secret, may_have_key
from econzoo.baselines.models.pacing import Pace, call_with_timeout
from econzoo.baselines.models.responses import read_response, read_stream
from econzoo.baselines.models.server_errors import ServerError, read_body
from econzoo.envs.core import ARCHIVE_BYTES, LARGE_FILE_BYTES, explain_missing_library

_NATIVE = {"model", "messages", "stream"}
"""Named arguments of the client; other fields go into the body, independently of the client's version."""


OPENAI_URL = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0
"""Longest time until a server accepts a connection."""

ENCODED_BYTES = 2**18
"""Most bytes of a compressed response, which nobody has asked for: decoded, they can be a thousand times as many."""

LEAST_SILENCE = 10.0
"""Seconds without a response after which a closed connection was probably cut; proxies wait 30 or more."""


class SignalError(Exception):
    """A request had no usable response; the subclass says what to do, and `status` the one of the response."""

    status: int | None = None


class RetryError(SignalError):
    """The request may succeed if sent again later."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class BusyError(RetryError):
    """The server limits its rate or is overloaded, which passes by itself."""


class GoneError(RetryError):
    """Nothing answers at the address, which passes by itself if the server has replied before."""


class CutError(RetryError):
    """A silent call was ended ahead of its response, as proxies do."""


class WrongPageError(RetryError):
    """A page in place of a response, as of a login or another service; it rarely passes by itself."""


class ReplyTimeoutError(SignalError):
    """No reply in time."""


class ChangedRequestError(SignalError):
    """Retry immediately with an adapted request."""


class FilteredError(SignalError):
    """The provider's content filter blocked the prompt or the reply; a retry would not help."""


class RefusedReplyError(SignalError):
    """The server rejected the reply, the message of this error, because it violates the schema."""


class RefusedRequestError(SignalError):
    """The server refuses the request for a reason that is not known."""

    def __init__(self, error: ServerError, reason: str) -> None:
        super().__init__(reason)
        self.error = error


class ShortenError(SignalError):
    """Retry immediately with a shorter conversation."""


class ServerStatusError(Exception):
    """The server returned an error status."""

    def __init__(self, error: ServerError, headers: Any) -> None:
        super().__init__(error.text)
        self.error, self.headers = error, headers


class Server:
    """A server with a model; see `econzoo.baselines.models.OpenAIChat`.

    Attributes:
        batches: Returns the body of the response to a request, in place of the server.
    """

    def __init__(
        self,
        model: str,
        url: str | None,
        api_key: str | None,
        concurrency: int,
        own: str | None = None,
        keys: Sequence[str] = ("OPENAI_API_KEY",),
    ) -> None:
        own = (own or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
        self.model, self.url = model, _check_url(url or own)
        self._known = may_have_key(self.url, own)
        found = next(filter(None, map(os.environ.get, keys)), None)
        self._key = api_key or (found if self._known else None) or "none"
        hide_secret(self._key)
        self.pace = Pace(concurrency)
        self._lock = threading.Lock()
        self._client: Any = None
        self.batches: Callable[[dict[str, Any]], Any] | None = None

    def send(self, request: dict[str, Any], seconds: float) -> Any:
        """Send a request and return the response; the timeout is that of the whole call, and between two bytes.

        A streamed response is put together.

        Raises:
            ServerStatusError: The server returned an error.
            RetryError: No response, or an invalid one.
            ReplyTimeoutError: No response in time.
            UnavailableError: OpenAI needs a key, and there is none.
        """
        if self.batches is not None:
            return _as_completion(self.batches(request))
        if self._key == "none" and self.url == OPENAI_URL:
            raise UnavailableError(self.format_message("no key: set OPENAI_API_KEY"))
        client, openai = self._connect()
        fields = {name: value for name, value in request.items() if name in _NATIVE}
        body = {name: value for name, value in request.items() if name not in _NATIVE}
        patience = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        create = client.chat.completions.with_raw_response.create
        read = read_stream if "stream" in fields else read_response

        def ask() -> tuple[Any, Mapping[str, str]]:
            try:
                response = create(**fields, extra_body=body, timeout=patience)
                answer = read(response)
            except openai.APIStatusError as error:
                raise self._status_error(error.status_code, error.response.text, error.response.headers) from None
            # Gateways also report failures of their upstream providers with status 200.
            failure = None if getattr(answer, "choices", None) else getattr(answer, "error", None)
            if isinstance(failure, dict) and re.fullmatch("[45]\\d\\d", code := str(failure.get("code"))):
                raise self._status_error(int(code), json.dumps(failure), response.headers)
            return answer, response.headers

        return self._exchange(ask, seconds, "stream" in fields)

    def _exchange(self, ask: Callable[[], tuple[Any, Mapping[str, str]]], seconds: float, is_streamed: bool) -> Any:
        """Run a request, which returns its response and headers; what it raises becomes a signal."""
        sent, pace_round = time.monotonic(), self.pace.round
        try:
            answer, headers = call_with_timeout(seconds, ask)
        except ServerStatusError as refused:
            if refused.error.is_busy:
                self.pace.count_refusal(pace_round)
            raise
        except Exception as error:
            is_cut = time.monotonic() - sent >= LEAST_SILENCE and not is_streamed
            raise signal_of(error, is_cut) from None
        self.pace.count_reply(headers)
        return answer

    def _status_error(self, status: int, text: str, headers: Mapping[str, str]) -> ServerStatusError:
        return ServerStatusError(ServerError(status, read_body(self.clean(text, None))), headers)

    def _connect(self) -> tuple[Any, Any]:
        with explain_missing_library("an openai: player"):
            import openai
        with self._lock:
            if self._client is None:
                options: dict[str, Any] = {"api_key": self._key, "base_url": self.url}
                if not self._known:  # do not disclose the user's account either
                    options |= {"organization": "", "project": ""}
                options |= {"http_client": connections(), "max_retries": 0}  # our own retries are counted
                self._client = openai.OpenAI(**options)
        return self._client, openai

    @property
    def headers(self) -> dict[str, str]:
        """Headers of requests without the client."""
        return {"Authorization": f"Bearer {self._key}"}

    def format_message(self, reason: str) -> str:
        """Prefix a message with model and address."""
        return f"{self.model} at {self.url}: {self.clean(reason)}"

    def error(self, reason: str) -> ModelError:
        return ModelError(self.format_message(reason))

    def clean(self, text: str, most: int | None = 400) -> str:
        """Return a server's text in one line, without the key, which some servers quote."""
        # "none" is a word that a message may have, and no secret.
        return " ".join((text.replace(self._key, "[key]") if self._key != "none" else text).split())[:most]


def _as_completion(body: Any) -> Any:
    """Return a response as the client returns it."""
    from openai.types.chat import ChatCompletion

    if not isinstance(body, dict):
        raise RetryError("the response is not a chat completion")
    return ChatCompletion.construct(**body)


def signal_of(error: Exception, is_cut: bool) -> Exception:
    """Return the signal for an error of a connection, whose classes are known by name: versions of httpx differ."""
    cause = error.__cause__ or error
    kinds = {kind.__name__ for one in (error, cause) for kind in type(one).__mro__}
    if kinds & {"ConnectError", "ConnectTimeout"}:
        return GoneError(f"connection failed ({cause or 'timeout'})")
    if kinds & {"TimeoutError", "TimeoutException", "APITimeoutError"}:
        return ReplyTimeoutError("no reply in time")
    if kinds & {"APIConnectionError", "TransportError", "EOFError"}:
        return (CutError if is_cut else RetryError)(f"connection failed ({cause})")
    if "PageError" in kinds:
        return WrongPageError(f"the response is a page and not JSON; is the address right? ({error})")
    is_invalid = kinds & {"APIError", "ValueError", "RecursionError"}
    return RetryError(f"the response is not valid JSON ({error})") if is_invalid else error


@cache
def connections() -> Any:
    """Return one connection pool per process, since loading certificates takes 0.1 s; its responses are limited."""
    import openai

    class Client(openai.DefaultHttpxClient):
        def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
            response = super().send(request, stream=True, **more)
            response.stream = _limit_stream(response, request)
            if not stream:
                response.read()
            return response

    return Client(headers={"Accept-Encoding": "identity"})


def _limit_stream(response: Any, request: Any) -> Any:
    """Return the stream of a response, which ends with an error beyond its bytes or the seconds of its request.

    A caller who has given up does not stop the thread that reads, so that an endless response would fill the memory.
    """
    stream, most = response.stream, LARGE_FILE_BYTES if request.method == "POST" else ARCHIVE_BYTES
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":
        most = ENCODED_BYTES if encoding in ("gzip", "deflate") else 0
    seconds = request.extensions.get("timeout", {}).get("read") if request.method == "POST" else None
    until = time.monotonic() + (math.inf if seconds is None else seconds)
    # A subclass, as the client asks for; versions of httpx differ in the module of the class.
    kind = next(one for one in type(stream).__mro__ if one.__name__ == "SyncByteStream")

    class Limited(kind):  # type: ignore[misc, valid-type]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > most:
                    coded = "" if encoding == "identity" else f" in the encoding {encoding[:20]}"
                    raise EOFError(f"the response has more than {most:,} bytes{coded}")
                if time.monotonic() > until:
                    raise TimeoutError
                yield part

        def close(self) -> None:
            stream.close()

    return Limited()


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ValueError("base_url has a user name or password; pass the key as api_key or OPENAI_API_KEY")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"invalid base_url={url!r}: expected http://HOST:PORT/v1")
    return url.rstrip("/")
