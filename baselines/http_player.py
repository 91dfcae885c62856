"""Players in any programming language over GLEE's HTTP player protocol: ``http://HOST:PORT?timeout=60``.

Each move is one request, ``POST URL/chat`` with the transcript of the seat, and one response, ``{"response": TEXT}``.
The transcript, retries, records and journals are those of language models. Besides GLEE's fields, requests have the
seat's observation as numbers, so that a program need not parse text (`econzoo.baselines.seat_json`).
"""

from __future__ import annotations

import json
import math
import os
import random
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener
from urllib.request import Request as WebRequest

from econzoo.baselines.calls import ModelError
from econzoo.baselines.connections import may_have_key
from econzoo.baselines.language_model import LanguageModelPlayer
from econzoo.baselines.model_specs import OptionParser, parse_integer, parse_number, read_options
from econzoo.baselines.models import Call, Completion, Conversation, Message, RetryError, Schema, ServedChat, backoff
from econzoo.baselines.models import call_with_timeout, retry_after
from econzoo.baselines.parts.reasoning import Request, RequestGenerator
from econzoo.baselines.seat_json import seat_json
from econzoo.envs.core.contract import Invalid, check_arguments, clean, parse_json
from econzoo.envs.core.faces import StructuredFace, json_reply, render_reply

__all__ = ["KEY", "HttpPlayer", "http_player"]

KEY = "ECONZOO_PLAYER_KEY"
"""Environment variable with the value of the ``X-API-Key`` header."""

RETRYABLE_STATUSES = (408, 409, 425, 429)
"""Statuses below 500 after which a request is retried."""

MAX_ANSWER_BYTES = 1_000_000
"""Maximum bytes read of a response."""


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirects, so that the key only goes to the given address."""

    def redirect_request(self, *args: Any) -> None:
        return None


_open_url = build_opener(_NoRedirects).open

OPTIONS: dict[str, OptionParser] = {"timeout": parse_number, "max_retries": parse_integer, "concurrency": parse_integer}


class AgentConversation(list[Message]):
    """A transcript with the other fields of a request.

    Args:
        decision: GLEE's field: whether the legal moves have no numbers.
        write: Renders a move in the wording of the seat's prompts.
    """

    def __init__(
        self, messages: Conversation, decision: bool, params: Mapping[str, Any], write: Callable[[Any], str]
    ) -> None:
        super().__init__(messages)
        self.decision, self.params, self.write = decision, params, write


class HttpChat(ServedChat):
    """An HTTP agent with the interface of a chat model.

    Failed requests are retried with backoff and finally end the match; they never count as the agent's move.

    Args:
        timeout: Seconds per response.
        sleep: Sleep function in seconds; replaced in tests.
    """

    def __init__(
        self,
        url: str,
        timeout: float = 120.0,
        max_retries: int = 4,
        concurrency: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise ValueError(f"invalid address {url!r}: expected http://HOST:PORT")
        if not 0 < timeout < math.inf or max_retries < 0 or concurrency < 1:
            numbers = f"timeout={timeout:g}, max_retries={max_retries}, concurrency={concurrency}"
            raise ValueError(f"invalid {numbers}: expected timeout > 0, max_retries >= 0 and concurrency >= 1")
        self.url = url.rstrip("/")
        self._key = os.environ.get(KEY, "") if may_have_key(self.url, "") else ""
        self._timeout, self._retries, self.concurrency, self._sleep = timeout, max_retries, concurrency, sleep
        self._jitter = random.Random()  # spreads retries in time; replies do not depend on it

    @property
    def name(self) -> str:
        """Address of the agent."""
        return self.url

    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        """See `ServedModel.answer`; the agent only gets the conversation."""
        request = (
            conversation
            if isinstance(conversation, AgentConversation)
            else AgentConversation(conversation, False, {}, json_reply)
        )
        fields = {"messages": list(request), "decision": request.decision, "game_params": request.params}
        body = json.dumps(fields, allow_nan=False).encode()
        attempt = 0
        while True:
            began = time.perf_counter()
            try:
                # The timeout of `_send` is that of one read of the socket, so that the whole response needs its own.
                text = self._read(call_with_timeout(self._timeout, lambda: self._send(body)), request)
                # Agents report no tokens.
                return Completion(text, 0, 0, time.perf_counter() - began)
            except TimeoutError:
                failure = RetryError(f"no response within {self._timeout:g} seconds")
            except RetryError as error:
                failure = error
            if attempt >= self._retries:
                raise ModelError(f"{self.url}: gave up after {attempt + 1} attempts: {failure}") from None
            self._sleep(backoff(attempt, self._jitter.random(), failure.wait))
            attempt += 1

    def _send(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", **({"X-API-Key": self._key} if self._key else {})}
        try:
            with _open_url(WebRequest(f"{self.url}/chat", body, headers), timeout=self._timeout) as answer:
                return bytes(answer.read(MAX_ANSWER_BYTES))
        except HTTPError as error:
            detail = " ".join(clean(error.read(400).decode(errors="replace")).split())
            message = f"HTTP {error.code}{': ' if detail else ''}{detail}"
            if error.code < 500 and error.code not in RETRYABLE_STATUSES:
                raise ModelError(f"{self.url}: {message}") from None
            raise RetryError(message, retry_after(dict(error.headers.items()))) from None
        except OSError as error:
            why = getattr(error, "reason", error)
            if isinstance(why, TimeoutError):  # of the connection, which has the same timeout as the response
                raise why from None
            raise RetryError(f"connection failed ({why})") from None

    @staticmethod
    def _read(response: bytes, request: AgentConversation) -> str:
        try:
            body = parse_json(response.decode())
        except ValueError as error:
            raise RetryError(f"the response is not valid JSON ({error})") from None
        fields = body if isinstance(body, dict) else {}
        if "move" in fields:
            return request.write(fields["move"])
        if not isinstance(fields.get("response"), str):
            raise RetryError('the response has neither "response" with text nor "move"')
        return str(fields["response"])


class HttpPlayer(LanguageModelPlayer):
    """An HTTP agent as a player.

    Args:
        spec: Player spec.
        model: HTTP client, shared by all forks.
    """

    def __init__(self, spec: str, model: HttpChat) -> None:
        super().__init__(spec, model)
        self._turn_info: Mapping[str, Any] = {}

    def _turn(self, text: str, info: Mapping[str, Any]) -> RequestGenerator[str]:
        self._turn_info = info
        return super()._turn(text, info)

    def call(self, request: Request) -> Call:
        """See `LanguageModelPlayer.call`; the conversation also has the game parameters."""
        diary, call = self._diary, super().call(request)
        assert diary is not None, "act requires a reset"
        seen, actions = diary.require_seen(), diary.game.actions
        numbers = [
            bool(marks) or kind.source is not None for marks, kind in zip(actions.marks, actions.kinds, strict=True)
        ]
        decision = not any(may and more for may, more in zip(seen.legal.kinds, numbers, strict=True))

        def write(move: Any) -> str:
            action = StructuredFace(diary.game, seen.legal).decode(move, seen.legal)
            valid = not isinstance(action, Invalid)
            return render_reply(diary.teller.words, action, seen.legal) if valid else json_reply(move)

        own = {"match": self.match, "seed": self._seed, "attempt": self._turn_info.get("attempt", 0)}
        params = {**seat_json(diary.info, self._seat, seen), **own, "json_schema": request.schema}
        return call._replace(conversation=AgentConversation(call.conversation, decision, params, write))


@check_arguments
def http_player(spec: str, target: str, given: Mapping[str, str]) -> HttpPlayer:
    """``http://HOST:PORT?timeout=60`` or ``http:https://HOST``: an agent with GLEE's protocol."""
    options = read_options(spec, given, OPTIONS)
    try:
        return HttpPlayer(spec, HttpChat(target if "://" in target else f"http:{target}", **options))
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
