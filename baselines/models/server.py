"""A server that speaks the OpenAI protocol: one request under a deadline, and what its failures mean."""

from __future__ import annotations

import os
import threading
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from econzoo.baselines.models.chat import ModelError
from econzoo.baselines.models.connections import may_have_key
from econzoo.baselines.models.pacing import call_with_timeout
from econzoo.baselines.models.server_errors import ServerError, read_body
from econzoo.envs.core.extras import explain_missing_library

_NATIVE = {"model", "messages"}
"""What the client wants by name; everything else goes into the body as it is, whatever a client's version knows."""


class RetryError(Exception):
    """Try the same request again, after a pause."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class ReplyTimeoutError(Exception):
    """No answer came in time."""


class ServerStatusError(Exception):
    """The server has answered with an error."""

    def __init__(self, error: ServerError, headers: Any) -> None:
        super().__init__(error.text)
        self.error, self.headers = error, headers


class Server:
    """Where a model is asked.

    Args:
        model: Its name there.
        url: Up to and with `/v1`; None: by the environment, or OpenAI's own.
        api_key: None: by the environment, where it may have it.
    """

    def __init__(self, model: str, url: str | None, api_key: str | None) -> None:
        own = (os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1").rstrip("/")
        self.model, self.url = model, _check_url(url or own)
        self._known = may_have_key(self.url, own)
        self._key = api_key or (os.environ.get("OPENAI_API_KEY") if self._known else None) or "none"
        self._lock = threading.Lock()
        self._client: Any = None

    def send(self, request: dict[str, Any], seconds: float) -> Any:
        """The answer to a request.

        Args:
            request: Its fields.
            seconds: For the whole call, and between two bytes.

        Raises:
            AnsweredError: It is an error.
            AgainError: There is none, or none that can be read.
            LateError: There is none in time.
        """
        client, openai = self._connect()
        fields = {name: value for name, value in request.items() if name in _NATIVE}
        beside = {name: value for name, value in request.items() if name not in _NATIVE}
        ask = partial(client.chat.completions.create, **fields, extra_body=beside, timeout=seconds)
        try:
            return call_with_timeout(seconds, ask)
        except (TimeoutError, openai.APITimeoutError):
            raise ReplyTimeoutError from None
        except openai.APIConnectionError as error:
            raise RetryError(f"cannot be reached ({error.__cause__ or error})") from None
        except openai.APIStatusError as error:
            body = read_body(self.clean(error.response.text, None))
            raise ServerStatusError(ServerError(error.status_code, body), error.response.headers) from None
        except (openai.APIError, ValueError, RecursionError) as error:
            raise RetryError(f"the answer is not valid JSON ({error})") from None

    def _connect(self) -> tuple[Any, Any]:
        with explain_missing_library("an openai: player"):
            import openai
        with self._lock:
            if self._client is None:
                options: dict[str, Any] = {"api_key": self._key, "base_url": self.url}
                if not self._known:  # whose account it is, is nobody else's business either
                    options |= {"organization": "", "project": ""}
                options |= {"http_client": _connections(), "max_retries": 0}  # we retry ourselves, and count it
                self._client = openai.OpenAI(**options)
        return self._client, openai

    def format_message(self, reason: str) -> str:
        """What is said of this model, in one line."""
        return f"{self.model} at {self.url}: {self.clean(reason)}"

    def error(self, reason: str) -> ModelError:
        """An error of this model."""
        return ModelError(self.format_message(reason))

    def clean(self, text: str, most: int | None = 400) -> str:
        """What a server said, in one line and without the key, which some servers quote."""
        return " ".join((text.replace(self._key, "[key]") if self._key != "none" else text).split())[:most]


@cache
def _connections() -> Any:
    """One pool for all models of a process: to read the certificates takes a tenth of a second."""
    import openai

    return openai.DefaultHttpxClient()


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ValueError("base_url holds a user name or password; pass the key as api_key or OPENAI_API_KEY")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url is {url!r}; it must look like http://HOST:PORT/v1")
    return url.rstrip("/")
