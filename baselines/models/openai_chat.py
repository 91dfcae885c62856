"""Chat models behind an OpenAI-compatible server: `openai:MODEL@URL` (OpenAI, vLLM, llama.cpp, Ollama, ...)."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

from econzoo.baselines.models import purse
from econzoo.baselines.models.chat import Completion, Conversation, ModelError, Schema, check_lengths, fit
from econzoo.baselines.models.connections import may_have_key
from econzoo.baselines.models.dialect import FILTERED, TOO_LONG, Dialect, completion, limit_of
from econzoo.baselines.models.pacing import LONGEST_WAIT, TokenBucket, backoff, retry_after, side_by_side
from econzoo.baselines.models.sampling import Sampling, check_all
from econzoo.envs.core.extras import needed_for
from econzoo.envs.core.faces.finish import FILTER

_AGAIN = {408, 409, 429}  # and all of 500 and above
_REFUSED = {400, 413, 422}  # what servers answer to a parameter that they do not know, or to one that is too much


@dataclass(frozen=True)
class Usage:
    """What a model has used so far, over all its replies.

    Attributes:
        replies: answers received.
        retries: requests that were sent again.
        prompt_tokens: tokens read, as the server counts them.
        completion_tokens: tokens written, as the server counts them.
        cost: US dollars.
    """

    replies: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class OpenAIChat:
    """A chat model behind an OpenAI-compatible server.

    Replies come from a few requests at a time. A busy or failing server is asked again after growing pauses, a refused
    parameter is left out from then on, and a conversation that is too long is cut from its oldest turn. Tools are
    offered as functions; a server that refuses them gets them in the schema of the reply.
    What was asked for by name (`top_p`, `reasoning_effort`, `stop`) is never left out: a server that refuses it fails.
    The key is never shown: not in `repr`, not in errors.
    """

    sized: ClassVar[bool] = True
    native_tools: ClassVar[bool] = True

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        temperature: float = 0.7,
        max_tokens: int | None = None,
        reasoning_tokens: int | None = None,
        top_p: float | None = None,
        reasoning_effort: str | None = None,
        stop: Sequence[str] = (),
        system: str = "separate",
        max_retries: int = 5,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrency: int = 8,
        price_per_million: tuple[float, float] = (0.0, 0.0),
        timeout: float = 120.0,
        context: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Describe the model; nothing is sent yet.

        Args:
            model: the name that the server knows.
            base_url: up to and with `/v1`; None takes OPENAI_BASE_URL or OpenAI's own.
            api_key: None takes OPENAI_API_KEY, or "none" for servers that want no key.
            temperature: sampling temperature.
            max_tokens: the most tokens of one reply; None takes what a question says that it needs, else 512.
            reasoning_tokens: tokens for a reasoning model's own thoughts, on top; None takes 4,096, or what goes with
                the effort, until a server finds that too many; none if `max_tokens` is given: that is the whole then.
            top_p: as servers know it; None sends none.
            reasoning_effort: likewise.
            stop: texts that end a reply, at most 4.
            system: `separate`, or `merge`: the system message opens the first user message.
            max_retries: further attempts after a failed one.
            requests_per_minute: a limit for all requests of this object together; None for no limit.
            tokens_per_minute: likewise for the tokens that are read (by the estimate of `context`) and written.
            concurrency: requests under way at once.
            price_per_million: US dollars for a million tokens read and written.
            timeout: seconds to wait for one answer.
            context: the most tokens of prompt and reply (estimated by four characters a token); None lets the server
                judge.
            clock: seconds, for the rate limit; replaced in tests.
            sleep: waits for some seconds; replaced in tests.
        """
        sampling = Sampling(temperature, max_tokens, reasoning_tokens, top_p, reasoning_effort, stop, system)
        self._dialect = Dialect(model, sampling, context)
        _check_numbers(max_retries=max_retries, concurrency=concurrency, timeout=timeout, price=price_per_million)
        self.model = model
        own = (os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1").rstrip("/")
        self.base_url = _checked_url(base_url or own)
        self.max_tokens, self.max_retries = max_tokens, max_retries
        self.concurrency, self.timeout, self.context = concurrency, timeout, context
        self.price_per_million = price_per_million
        self._known = may_have_key(self.base_url, own)
        self._key = api_key or (os.environ.get("OPENAI_API_KEY") if self._known else None) or "none"
        self._bucket = TokenBucket(requests_per_minute, 1, clock, sleep) if requests_per_minute is not None else None
        self._tokens = TokenBucket(tokens_per_minute, 1, clock, sleep) if tokens_per_minute is not None else None
        self._sleep = sleep
        self._lock = threading.Lock()
        self._usage = Usage()
        self._client: Any = None
        self._jitter = random.Random()  # spreads retries in time; it has no influence on any reply

    @property
    def name(self) -> str:
        """`openai:MODEL@URL`."""
        return f"openai:{self.model}@{self.base_url}"

    @property
    def prompt_limit(self) -> int | None:
        """The most tokens of a conversation, so that a reply still fits; None: only the server knows."""
        return self._prompt_limit(None)

    def _prompt_limit(self, needed: int | None) -> int | None:
        return None if self.context is None else self.context - self._dialect.most(needed)

    @property
    def usage(self) -> Usage:
        """Totals of tokens, cost and retries."""
        return self._usage

    def __repr__(self) -> str:
        return (
            f"OpenAIChat({self.model!r}, base_url={self.base_url!r}, temperature={self._dialect.sampling.temperature})"
        )

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """Answer every conversation; see `ChatModel.complete`. All are answered before the first failure is raised."""
        check_lengths(conversations, schemas, seeds)
        if not conversations:
            return []
        replies = dict(self.completions(conversations, schemas, seeds, limits=limits))
        for place in sorted(replies):
            if isinstance(error := replies[place], Exception):
                raise error
        return [reply for _, reply in sorted(replies.items()) if isinstance(reply, Completion)]

    def completions(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        keep: Callable[[int, Completion], None] = lambda place, reply: None,
        limits: Sequence[int | None] | None = None,
    ) -> Iterator[tuple[int, Completion | Exception]]:
        """Answers every conversation; each reply, or what went wrong, is given with its place as soon as it is there.

        Args:
            conversations: See `ChatModel.complete`.
            schemas: Likewise.
            seeds: Likewise.
            keep: Told of each reply with its place, in the thread that got it and before that one asks again.
            limits: Likewise.
        """
        jobs = list(zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True))
        return side_by_side(self._answer, jobs, self.concurrency, keep)

    def _answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        budget = self._prompt_limit(limit)
        messages, dropped = fit(conversation, _estimate, budget) if budget else (list(conversation), 0)
        begin, attempt = time.perf_counter(), 0
        purse.check()
        while True:
            request = self._dialect.request(messages, schema, seed, limit)
            try:
                reply = self._read(self._send(request, limit), schema)
                seconds = time.perf_counter() - begin
                return replace(reply, seconds=seconds, truncated_turns=dropped, limit=limit_of(request))
            except _ShortenError:
                shorter, cut = fit(messages, _estimate, _estimate(messages) * 3 // 4)
                if _estimate(shorter) >= _estimate(messages):
                    raise self._error("the conversation is too long and cannot be cut further") from None
                messages, dropped = shorter, dropped + cut
            except _ChangeError:
                continue
            except _WithheldError:
                return Completion("", 0, 0, time.perf_counter() - begin, truncated_turns=dropped, finish=FILTER)
            except _AgainError as again:
                if attempt >= self.max_retries:
                    raise self._error(f"gave up after {attempt + 1} attempts: {again}") from None
                self._sleep(backoff(attempt, self._jitter.random(), again.wait))
                self._count(retries=1)
                attempt += 1

    def _send(self, request: dict[str, Any], needed: int | None) -> Any:
        """One request; failures become one of the signals below, or a ModelError that ends the match."""
        client, openai = self._connect()
        if self._bucket:
            self._bucket.wait()
        if self._tokens:
            self._tokens.wait(_estimate(request["messages"]))
        try:
            return client.chat.completions.create(**request)
        except openai.APITimeoutError:
            raise _AgainError(f"no answer within {self.timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            raise _AgainError(f"cannot be reached ({error.__cause__ or error})") from None
        except openai.APIStatusError as error:
            if error.code in FILTERED:
                raise _WithheldError from None
            text = self._clean(f"{error} {error.code or ''}")
            raise self._judge(error, text, request, needed) from None
        except (openai.APIError, ValueError) as error:
            raise _AgainError(f"the answer is not valid JSON ({error})") from None

    def _judge(self, error: Any, text: str, request: dict[str, Any], needed: int | None) -> Exception:
        """What to do about an HTTP error."""
        status, said = error.status_code, text.lower()
        if status in _REFUSED and self._dialect.gives_way(said, request, needed):
            return _ChangeError()
        if status in _REFUSED and any(words in said for words in TOO_LONG):
            return _ShortenError()
        wait = retry_after(error.response.headers)
        spent = status == 429 and "insufficient_quota" in said
        if (status in _AGAIN or status >= 500) and not spent and (wait or 0) <= LONGEST_WAIT:
            return _AgainError(f"HTTP {status}: {text}", wait)
        reasons = {401: "the key was refused", 403: "access was refused", 404: "unknown model or wrong URL"}
        return self._error(f"{reasons.get(status, 'the request was refused')} (HTTP {status}: {text})")

    def _read(self, answer: Any, schema: Schema | None) -> Completion:
        try:
            reply = completion(answer, self.price_per_million, schema)
        except (AttributeError, IndexError, TypeError):
            raise _AgainError("the answer is not a chat completion") from None
        used = {name: getattr(reply, name) for name in ("prompt_tokens", "completion_tokens", "cost")}
        self._count(replies=1, **used)
        if self._tokens:
            self._tokens.take(reply.completion_tokens)
        return reply

    def _count(self, **more: float) -> None:
        with self._lock:
            old = self._usage
            self._usage = Usage(**{key: value + more.get(key, 0) for key, value in vars(old).items()})

    def _connect(self) -> tuple[Any, Any]:
        with needed_for("an openai: player"):
            import openai
        with self._lock:
            if self._client is None:
                options: dict[str, Any] = {"api_key": self._key, "base_url": self.base_url, "timeout": self.timeout}
                if not self._known:  # whose account it is, is nobody else's business either
                    options |= {"organization": "", "project": ""}
                self._client = openai.OpenAI(**options, max_retries=0)  # we retry ourselves, and count it
        return self._client, openai

    def _error(self, reason: str) -> ModelError:
        return ModelError(f"{self.model} at {self.base_url}: {self._clean(reason)}")

    def _clean(self, text: str) -> str:
        """What a server said, in one line and without the key, which some servers quote."""
        return " ".join((text.replace(self._key, "[key]") if self._key != "none" else text).split())[:400]


class _AgainError(Exception):
    """Try the same request again, after a pause."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class _ChangeError(Exception):
    """Try again at once, without the refused parameter."""


class _WithheldError(Exception):
    """The provider's filter lets the question, or the reply to it, not pass: asked as it is, this never changes."""


class _ShortenError(Exception):
    """Try again at once, with a shorter conversation."""


def _estimate(conversation: Conversation) -> int:
    """Tokens of a chat, roughly: four characters each and a few for the markup of every message."""
    return sum(len(message["content"] or "") // 4 + 5 for message in conversation)


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ValueError("base_url holds a user name or password; pass the key as api_key or OPENAI_API_KEY")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url is {url!r}; it must look like http://HOST:PORT/v1")
    return url.rstrip("/")


def _check_numbers(*, max_retries: int, concurrency: int, timeout: float, price: tuple[float, float]) -> None:
    check_all(
        ("max_retries", max_retries, max_retries >= 0, "0 or more"),
        ("concurrency", concurrency, concurrency >= 1, "1 or more"),
        ("timeout", timeout, 0 < timeout < float("inf"), "a positive number of seconds"),
        ("price_per_million", price, len(price) == 2 and min(price) >= 0, "two numbers (in, out), 0 or more"),
    )
